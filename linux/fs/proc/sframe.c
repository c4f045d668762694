// SPDX-License-Identifier: GPL-2.0-only
/*
 * /proc/PID/sframe: the SFrame tables that a process has registered.
 *
 * A line for each text range, by address:
 *   text_start-text_end table_start-table_end path
 * with the file that the table is mapped from.
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/seq_file.h>
#include <linux/sframe.h>

#include "internal.h"

/**
 * struct proc_sframe - an open file
 * @mm:		NULL for a task without mm; may lose its users at any time
 * @locked:	between start and stop: @mm is kept, and locked for reading
 * @info:	the line being written
 */
struct proc_sframe {
	struct mm_struct	*mm;
	bool			locked;
	struct sframe_info	info;
};

/*
 * The position is the address to continue from. On s390 it may be negative as a
 * number; only this file interprets it. seq_file writes lines to a buffer of
 * the kernel, so no page fault occurs while the lock is held.
 */
static void *proc_sframe_start(struct seq_file *m, loff_t *pos)
{
	struct proc_sframe *priv = m->private;

	if (!priv->mm || !mmget_not_zero(priv->mm))
		return NULL;
	if (mmap_read_lock_killable(priv->mm)) {
		mmput(priv->mm);
		return ERR_PTR(-EINTR);
	}
	priv->locked = true;
	return sframe_next_text(priv->mm, *pos, &priv->info) ? priv : NULL;
}

static void *proc_sframe_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct proc_sframe *priv = v;

	*pos = priv->info.text + priv->info.text_size;
	return sframe_next_text(priv->mm, *pos, &priv->info) ? priv : NULL;
}

static void proc_sframe_stop(struct seq_file *m, void *v)
{
	struct proc_sframe *priv = m->private;

	if (!priv->locked)
		return;
	priv->locked = false;
	mmap_read_unlock(priv->mm);
	mmput(priv->mm);
}

static int proc_sframe_show(struct seq_file *m, void *v)
{
	struct proc_sframe *priv = v;
	struct sframe_info *info = &priv->info;
	struct vm_area_struct *vma = vma_lookup(priv->mm, info->table);
	const char *name = NULL;

	seq_printf(m, "%08lx-%08lx %08lx-%08lx ",
		   info->text, info->text + info->text_size,
		   info->table, info->table + info->table_size);
	/* The vDSO has no file. */
	if (vma && vma->vm_file)
		seq_path(m, file_user_path(vma->vm_file), "\n");
	else if (vma && vma->vm_ops && vma->vm_ops->name)
		name = vma->vm_ops->name(vma);
	if (name)
		seq_puts(m, name);
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations proc_sframe_ops = {
	.start	= proc_sframe_start,
	.next	= proc_sframe_next,
	.stop	= proc_sframe_stop,
	.show	= proc_sframe_show,
};

/* The addresses take the same permission as those in /proc/PID/maps. */
static int proc_sframe_open(struct inode *inode, struct file *file)
{
	struct mm_struct *mm = proc_mem_open(inode, PTRACE_MODE_READ);
	struct proc_sframe *priv;

	if (IS_ERR(mm))
		return PTR_ERR(mm);
	priv = __seq_open_private(file, &proc_sframe_ops, sizeof(*priv));
	if (!priv) {
		if (mm)
			mmdrop(mm);
		return -ENOMEM;
	}
	priv->mm = mm;
	return 0;
}

static int proc_sframe_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;
	struct proc_sframe *priv = m->private;

	if (priv->mm)
		mmdrop(priv->mm);
	return seq_release_private(inode, file);
}

const struct file_operations proc_pid_sframe_operations = {
	.open		= proc_sframe_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= proc_sframe_release,
};
