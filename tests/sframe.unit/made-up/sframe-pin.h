/* The interface between traces and the loader, simulated by the tests.

   SPDX-License-Identifier: LGPL-2.1-or-later

   The interface is described in debug/sframe-pin.h.  */

#ifndef _SFRAME_PIN_H
#define _SFRAME_PIN_H

#include <sframe-unloads.h>
#include <stddef.h>
#include <stdint.h>

struct sframe_unloads *sframe_unloads (void);
int sframe_setting (void);
void sframe_pin_begin (uint8_t *pin);
void sframe_pin_end (uint8_t pin);

#endif /* _SFRAME_PIN_H  */
