/* The cases that need a thread, see threads.c.

   SPDX-License-Identifier: LGPL-2.1-or-later  */

void first_in_thread (void);
void at_once (void);
void during_dlopen (void);
