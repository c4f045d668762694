/* The interface between traces and the loader, simulated by the tests.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in debug/sframe-reader.h.  */

#ifndef _SFRAME_READER_H
#define _SFRAME_READER_H

#include <sframe-unloads.h>
#include <stddef.h>
#include <stdint.h>

struct sframe_unloads *sframe_unloads (void);
int sframe_setting (void);
void sframe_reader_begin (uint8_t *reader);
void sframe_reader_end (uint8_t reader);

#endif /* _SFRAME_READER_H  */
