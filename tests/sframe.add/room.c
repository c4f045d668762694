/* A program with room that takes no bytes in its file: for data, and for code
   that is made at run time.

   SPDX-License-Identifier: LGPL-2.1-or-later */

asm (".section .jit, \"awx\", @nobits\n"
     ".skip 4096\n"
     ".text");

char data[60000];

int
main (void)
{
  return data[1];
}
