/* The parts of linux/sysctl.h that the choice of unwinders needs.
   SPDX-License-Identifier: GPL-2.0-only  */

#ifndef SHIM_LINUX_SYSCTL_H
#define SHIM_LINUX_SYSCTL_H

#include <stddef.h>
#include <sys/types.h>

struct ctl_table
{
  const char *procname;
  void *data;
  int maxlen;
  mode_t mode;
  int (*proc_handler) (const struct ctl_table *table, int write, void *buffer,
		       size_t *lenp, loff_t *ppos);
};

/* The test has them.  */
extern void machine_register_sysctls (const char *path,
				      const struct ctl_table *tables,
				      size_t count);
#define register_sysctl_init(path, tables) \
  machine_register_sysctls (path, tables, ARRAY_SIZE (tables))
extern int proc_dostring (const struct ctl_table *table, int write,
			  void *buffer, size_t *lenp, loff_t *ppos);

#endif /* SHIM_LINUX_SYSCTL_H  */
