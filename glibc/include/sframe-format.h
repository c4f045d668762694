/* The layout and the constants of an SFrame version 3 section.

   SPDX-License-Identifier: LGPL-2.1-or-later

   Written from the specification, "The SFrame Format, Version 3" (libsframe
   in GNU binutils 2.46 and newer), which has no section numbers.

   A section is a header, an optional auxiliary header, the function
   descriptor index (the FDEs) and the frame row entries (the FREs):

     header | auxiliary header | ... FDE index ... | ... FRE sub-section ...

   The attribute of a function precedes its FREs.  All values have the byte
   order of the machine.  The specification says that header and index are
   naturally aligned, but GNU ld puts the index right after the 28 bytes of the
   header, so that only 4-byte alignment is certain; the FRE sub-section is not
   aligned.  Hence the packed structures.  */

#ifndef _SFRAME_FORMAT_H
#define _SFRAME_FORMAT_H

#include <stdint.h>

#define SFRAME_MAGIC 0xdee2
#define SFRAME_VERSION_3 3

/* Flags of the whole section.  A section with any other flag is rejected.  */
enum
{
  /* The FDE index is sorted by function start address.  */
  SFRAME_F_FDE_SORTED = 0x1,
  /* The start of a function is an offset from the field that holds it, not
     from the start of the section.  */
  SFRAME_F_FDE_FUNC_START_PCREL = 0x4,
  SFRAME_F_ALL = SFRAME_F_FDE_SORTED | SFRAME_F_FDE_FUNC_START_PCREL
};

/* ABI identifiers; each implies a byte order.  1 is AArch64, big-endian.  */
enum
{
  SFRAME_ABI_AARCH64_LE = 2,
  SFRAME_ABI_AMD64_LE = 3,
  SFRAME_ABI_S390X_BE = 4
};

struct sframe_header
{
  uint16_t magic;
  uint8_t version;
  uint8_t flags;
  uint8_t abi;
  /* The offsets from the CFA at which FP and RA are saved, if the ABI fixes
     them; otherwise 0.  */
  int8_t fixed_fp_offset;
  int8_t fixed_ra_offset;
  /* Bytes of auxiliary header between this header and the offset base.  */
  uint8_t auxiliary_length;
  uint32_t fde_count;
  uint32_t fre_count;
  /* Size of the FRE sub-section in bytes, attributes included.  */
  uint32_t fre_length;
  /* Offsets from the end of the auxiliary header.  */
  uint32_t fde_offset;
  uint32_t fre_offset;
} __attribute__ ((packed));

/* An entry of the index.  */
struct sframe_fde
{
  int64_t start;
  uint32_t size;
  /* The offset of the attribute in the FRE sub-section.  */
  uint32_t attribute_offset;
} __attribute__ ((packed));

/* The attribute of a function; its FREs follow.  */
struct sframe_attribute
{
  uint16_t fre_count;
  uint8_t info;
  uint8_t info2;
  /* The size of the repeated block if the PC type is mask.  */
  uint8_t repetition;
} __attribute__ ((packed));

/* attribute.info: FRE type in bits 0 to 3, PC type in bit 4, pointer
   authentication key in bit 5 (AArch64), signal frame in bit 7.  */
#define SFRAME_FDE_FRE_TYPE(info) ((info) & 0xfU)
#define SFRAME_FDE_PC_TYPE_MASK(info) (((info) & 0x10) != 0)
#define SFRAME_FDE_KEY_IS_B(info) (((info) & 0x20) != 0)
#define SFRAME_FDE_SIGNAL(info) (((info) & 0x80) != 0)
/* attribute.info2: FDE type in bits 0 to 4.  */
#define SFRAME_FDE_TYPE(info2) ((info2) & 0x1fU)

/* FRE types: the start address of an FRE takes 1 << type bytes.  */
#define SFRAME_FRE_TYPE_MAX 2

enum
{
  SFRAME_FDE_TYPE_DEFAULT = 0,
  SFRAME_FDE_TYPE_FLEXIBLE = 1
};

/* The information byte of an FRE, which follows its start address: base
   register of the CFA in bit 0, number of data words in bits 1 to 4, their
   size in bits 5 and 6 (1 << size bytes), RA is mangled, that is, signed, in
   bit 7 (AArch64).  */
#define SFRAME_FRE_BASE_IS_SP(info) (((info) & 1) != 0)
#define SFRAME_FRE_WORD_COUNT(info) (((info) >> 1) & 0xfU)
#define SFRAME_FRE_WORD_SIZE(info) (((info) >> 5) & 3U)
#define SFRAME_FRE_WORD_SIZE_MAX 2
#define SFRAME_FRE_RA_IS_SIGNED(info) (((info) & 0x80) != 0)

/* The control word of a flexible rule: the base is a register in bit 0 (else
   the CFA), the value is in memory in bit 1, register number in bits 3
   up.  */
#define SFRAME_CONTROL_IS_REGISTER(word) (((word) & 1) != 0)
#define SFRAME_CONTROL_IN_MEMORY(word) (((word) & 2) != 0)
#define SFRAME_CONTROL_REGISTER(word) ((word) >> 3)

/* On s390x the CFA offset is stored as (offset - 160) / 8; SP at a call is
   CFA - 160.  */
#define SFRAME_S390X_CFA_ADJUSTMENT 160
#define SFRAME_S390X_CFA_SCALE 8

#endif /* _SFRAME_FORMAT_H  */
