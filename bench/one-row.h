/* The smallest possible SFrame table, a header and one function of one row;
   and its registration.
   SPDX-License-Identifier: LGPL-2.1-or-later  */

#ifndef ONE_ROW_H
#define ONE_ROW_H

#include <stdint.h>

#include "register-table.h"

struct table
{
  uint16_t magic;
  uint8_t version, flags, abi;
  int8_t fixed_fp, fixed_ra;
  uint8_t aux_len;
  uint32_t nr_fdes, nr_fres, fre_len, fde_off, fre_off;
  int64_t start;
  uint32_t size, attr_off;
  uint16_t fres;
  uint8_t info[3];
  uint8_t row[3];
} __attribute__ ((packed));

/* The ABI, where a return address is always, and the CFA's offset from SP at
   a function's first instruction.  */
#ifdef __aarch64__
enum { ROW_ABI = 2, ROW_RA = 0, ROW_CFA = 0 };
#else
enum { ROW_ABI = 3, ROW_RA = -8, ROW_CFA = 8 };
#endif

/* Initializers of all members but the start and the size of the function.  */
#define ONE_ROW								\
  .magic = 0xdee2, .version = 3, .flags = 1, .abi = ROW_ABI,		\
  .fixed_ra = ROW_RA, .nr_fdes = 1, .nr_fres = 1, .fre_len = 8,		\
  .fre_off = 16, .fres = 1, .row = { 0, 3, ROW_CFA }

#endif /* ONE_ROW_H  */
