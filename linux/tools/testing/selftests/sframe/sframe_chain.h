/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Record user stacks that the kernel unwinds, as deferred call chains of perf
 * events.
 *
 * Each call path ends in probe(), which touches a fresh page. The event counts
 * page faults, so that there is one chain, of exactly that instruction. Each
 * function of the path has noted its return address.
 */
#ifndef SFRAME_CHAIN_H
#define SFRAME_CHAIN_H

#include <linux/perf_event.h>
#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sframe_test.h"

#define RING		(16 * PAGE)
#define DEPTH_MAX	64
#define CHAIN_MAX	512

static unsigned long noted[DEPTH_MAX];
static int noted_count;

/* The chain read from a ring, without the context markers. */
static unsigned long chain[CHAIN_MAX];
static int chain_count;

static char *fresh;

#define NOTE() (noted[noted_count++] = \
		(unsigned long)__builtin_return_address(0))

/* Prevent a tail call, so that the caller stays on the stack. */
#define KEEP() ({ asm volatile("" : : : "memory"); })

/* Force @p into the frame, and the object it points to into memory. */
#define USE(p) ({ asm volatile("" : : "r" (p) : "memory"); })

extern const char probe_access[];

/* Touch the page. Flags and offsets of the frame change around it. */
static noinline __unused void probe(void)
{
	NOTE();
	asm volatile(".globl probe_access\n"
		     "probe_access:\n\t"
		     ARCH_TOUCH : : ARCH_ADDRESS (fresh) : "memory");
	KEEP();
}

static noinline __unused void plain(void)
{
	char local[40];

	USE(local);
	NOTE();
	probe();
	KEEP();
}

/* Touch @page where the CFA is in R10; see sframe_x86_code.S. */
extern const char use_r10_access[];
void use_r10(char *page);

/* An event, and the ring buffer for its samples. */
struct ring {
	int fd;
	struct perf_event_mmap_page *page;
};

static inline struct perf_event_attr chain_attr(unsigned int type,
						unsigned long config)
{
	return (struct perf_event_attr) {
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
		.disabled = 1,
		.exclude_callchain_kernel = 1,
		.defer_callchain = 1,
		.defer_output = 1,
	};
}

/* The number in the file @name of the kernel, or -1. */
static inline int read_number(const char *name)
{
	FILE *file = fopen(name, "r");
	int number = -1;

	if (file && fscanf(file, "%d", &number) != 1)
		number = -1;
	if (file)
		fclose(file);
	return number;
}

/* The tracepoint @name of signals; -1 if there is none. */
static inline int signal_attr(struct perf_event_attr *attr, const char *name)
{
	char file[80];
	int event;

	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	snprintf(file, sizeof(file),
		 "/sys/kernel/tracing/events/signal/%s/id", name);
	event = read_number(file);
	if (event < 0)
		return -1;
	*attr = chain_attr(PERF_TYPE_TRACEPOINT, event);
	return 0;
}

static inline void close_ring(struct ring *ring)
{
	if (ring->page != MAP_FAILED)
		munmap(ring->page, PAGE + RING);
	if (ring->fd >= 0)
		close(ring->fd);
}

static inline int open_ring(struct ring *ring, struct perf_event_attr *attr,
			    pid_t pid, int cpu)
{
	ring->page = MAP_FAILED;
	ring->fd = syscall(SYS_perf_event_open, attr, pid, cpu, -1, 0);
	if (ring->fd >= 0)
		ring->page = mmap(NULL, PAGE + RING, PROT_READ | PROT_WRITE,
				  MAP_SHARED, ring->fd, 0);
	if (ring->page == MAP_FAILED) {
		close_ring(ring);
		return -1;
	}
	/* Fault in the ring now, so that it causes no events later. */
	for (unsigned long i = 0; i < RING + PAGE; i += PAGE)
		USE(((char *)ring->page)[i]);
	return 0;
}

static inline void copy_out(const struct ring *ring, uint64_t at, void *to,
			    unsigned int len)
{
	const char *data = (const char *)ring->page + ring->page->data_offset;

	for (unsigned int i = 0; i < len; i++)
		((char *)to)[i] = data[(at + i) % RING];
}

/* Store the addresses of the record @at in @ips; return their number. */
static inline int read_ips(const struct ring *ring, uint64_t at,
			   unsigned long *ips)
{
	uint64_t nr, ip;
	int count = 0;

	copy_out(ring, at + 16, &nr, sizeof(nr));
	for (uint64_t i = 0; i < nr && count < CHAIN_MAX; i++) {
		copy_out(ring, at + 24 + 8 * i, &ip, sizeof(ip));
		if (ip < (uint64_t)-4095)
			ips[count++] = ip;
	}
	return count;
}

/*
 * Store the first chain in a record of @type that begins at @first, or any if
 * that is 0; return the number of such chains. There may be other chains before
 * and after, of faults in libraries.
 */
static inline int read_chain_of(struct ring *ring, unsigned int type,
				unsigned long first)
{
	static unsigned long ips[CHAIN_MAX];
	struct perf_event_header header;
	uint64_t at = ring->page->data_tail;
	int count, found = 0;

	chain_count = 0;
	for (; at < ring->page->data_head; at += header.size) {
		atomic_thread_fence(memory_order_acquire);
		copy_out(ring, at, &header, sizeof(header));
		if (header.type != type)
			continue;
		count = read_ips(ring, at, ips);
		if (first && (!count || ips[0] != first))
			continue;
		if (!found++) {
			memcpy(chain, ips, sizeof(ips));
			chain_count = count;
		}
	}
	ring->page->data_tail = at;
	return found;
}

/* The same for deferred chains. */
static inline int read_chain(struct ring *ring, unsigned long first)
{
	return read_chain_of(ring, PERF_RECORD_CALLCHAIN_DEFERRED, first);
}

/* Run @path with the event enabled; return as read_chain(), or -1. */
static inline int record_event(struct perf_event_attr *attr,
			       void (*path)(void), unsigned long first)
{
	struct ring ring;
	int found;

	noted_count = 0;
	fresh = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fresh == MAP_FAILED || open_ring(&ring, attr, 0, -1))
		return -1;
	ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
	path();
	ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
	found = read_chain(&ring, first);
	close_ring(&ring);
	munmap(fresh, PAGE);
	return found;
}

static inline int record(void (*path)(void))
{
	struct perf_event_attr attr = chain_attr(PERF_TYPE_SOFTWARE,
						 PERF_COUNT_SW_PAGE_FAULTS);

	return record_event(&attr, path, (unsigned long)probe_access);
}

/* Run @path once, to fault in the pages of stack and data that it needs. */
static inline void rehearse(void (*path)(void))
{
	static char page;

	fresh = &page;
	noted_count = 0;
	path();
}

/*
 * Fault in the pages of the table in a child, before it exits: the unwinder
 * does not wait for pages of an exiting task.
 */
static inline void touch_own_table(void)
{
	struct own_table own = own_table();

	for (unsigned long i = 0; i < own.size; i += PAGE)
		USE(((char *)own.start)[i]);
	USE(((char *)own.start)[own.size - 1]);
}

#endif /* SFRAME_CHAIN_H */
