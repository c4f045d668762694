/* Name the function of a PC for the crash handler, without a lock.
   SPDX-License-Identifier: LGPL-2.1-or-later

   Safety: async-signal-safe.  dladdr and backtrace_symbols_fd wait for the
   lock of ld.so; its owner may be waiting for the thread that crashed.
   _dl_find_object takes no lock.  Only readable segments of the object are
   read.  If another thread unloads the object meanwhile, a fault in the
   handler ends the process.  */

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/auxv.h>

/* The entries of DT_HASH have 32 bits, but on s390x 64.  */
#ifdef __s390x__
typedef uint64_t hash_word;
#else
typedef uint32_t hash_word;
#endif

/* An object, and what its dynamic section says about its symbols.  */
struct named_object
{
  uintptr_t start, end;		/* Its first address, and that after its last.  */
  uintptr_t bias;		/* What to add to the addresses in its file.  */
  const ElfW(Phdr) *headers;	/* Null if they are not known.  */
  size_t headers_count;
  const ElfW(Sym) *symbols;
  size_t symbols_count;
  const char *strings;
  size_t strings_size;
};

/* Set the limits and the program headers of OBJECT if it is the program.  The
   kernel has mapped it, possibly with gaps between the segments; then
   _dl_find_object takes each segment for an object.  */
static void
find_program (struct named_object *object)
{
  const ElfW(Phdr) *headers = (const void *) getauxval (AT_PHDR);
  size_t count = getauxval (AT_PHNUM);
  uintptr_t start = UINTPTR_MAX, end = 0;

  for (size_t i = 0; headers != NULL && i < count; ++i)
    if (headers[i].p_type == PT_LOAD)
      {
	uintptr_t address = object->bias + headers[i].p_vaddr;
	start = address < start ? address : start;
	end = (address + headers[i].p_memsz > end
	       ? address + headers[i].p_memsz : end);
      }
  if (object->start < start || object->start >= end)
    return;
  object->start = start;
  object->end = end;
  object->headers = headers;
  object->headers_count = count;
}

/* Set the program headers of OBJECT, which begins with its ELF header, if they
   are in its first page.  sframe-add and patchelf move them.  */
static void
find_headers (struct named_object *object)
{
  const ElfW(Ehdr) *header = (const void *) object->start;
  enum { PAGE = 4096 };

  if (memcmp (header->e_ident, ELFMAG, SELFMAG) != 0)
    object->end = object->start;
  else if (header->e_phoff <= PAGE
	   && (header->e_phnum
	       <= (PAGE - header->e_phoff) / sizeof (ElfW(Phdr))))
    {
      object->headers = (const void *) (object->start + header->e_phoff);
      object->headers_count = header->e_phnum;
    }
}

/* Whether the SIZE bytes at ADDRESS are in a readable segment of OBJECT or, if
   its program headers are not known, whether they are in OBJECT: only a
   damaged file has symbols between its segments.  */
static bool
can_read (const struct named_object *object, uintptr_t address, size_t size)
{
  if (address < object->start || address >= object->end
      || object->end - address < size)
    return false;
  for (size_t i = 0; i < object->headers_count; ++i)
    {
      const ElfW(Phdr) *ph = &object->headers[i];
      uintptr_t offset = address - object->bias - ph->p_vaddr;
      if (ph->p_type == PT_LOAD && (ph->p_flags & PF_R) != 0
	  && offset < ph->p_memsz && ph->p_memsz - offset >= size)
	return true;
    }
  return object->headers == NULL;
}

/* Return where SIZE bytes at VALUE, from the dynamic section, lie in memory;
   null if they cannot be read.  ld.so adds the bias to such an address unless
   the section is read-only, as in the vDSO.  */
static const void *
in_object (const struct named_object *object, uintptr_t value, size_t size)
{
  if (value < object->start || value >= object->end)
    value += object->bias;
  return can_read (object, value, size) ? (const void *) value : NULL;
}

/* Return the number of symbols by DT_GNU_HASH at VALUE; 0 if it is damaged.
   The last symbol is the last one of the chain that begins last.  */
static size_t
count_by_gnu_hash (const struct named_object *object, uintptr_t value)
{
  const uint32_t *head = in_object (object, value, 4 * sizeof *head);
  if (head == NULL)
    return 0;
  uintptr_t buckets = ((uintptr_t) (head + 4)
		       + (uintptr_t) head[2] * sizeof (ElfW(Addr)));
  const uint32_t *bucket = in_object (object, buckets,
				      (size_t) head[0] * sizeof *bucket);
  size_t last = 0;
  for (uint32_t i = 0; bucket != NULL && i < head[0]; ++i)
    if (bucket[i] > last)
      last = bucket[i];
  if (last < head[1])
    return 0;
  const uint32_t *chain = bucket + head[0] + (last - head[1]);
  while ((chain = in_object (object, (uintptr_t) chain, sizeof *chain)) != NULL
	 && (*chain++ & 1) == 0)
    ++last;
  return chain == NULL ? 0 : last + 1;
}

/* The same by DT_HASH.  */
static size_t
count_by_hash (const struct named_object *object, uintptr_t value)
{
  const hash_word *head = in_object (object, value, 2 * sizeof *head);
  return head == NULL ? 0 : head[1];
}

/* Set the symbols and strings of OBJECT from its dynamic section; none if
   that is damaged.  */
static void
find_symbols (struct named_object *object, const ElfW(Dyn) *dynamic)
{
  uintptr_t symbols = 0, strings = 0, count = 0;

  while ((dynamic = in_object (object, (uintptr_t) dynamic, sizeof *dynamic))
	 != NULL && dynamic->d_tag != DT_NULL)
    {
      switch (dynamic->d_tag)
	{
	case DT_SYMTAB: symbols = dynamic->d_un.d_ptr; break;
	case DT_STRTAB: strings = dynamic->d_un.d_ptr; break;
	case DT_STRSZ: object->strings_size = dynamic->d_un.d_val; break;
	case DT_GNU_HASH:
	  count = count_by_gnu_hash (object, dynamic->d_un.d_ptr);
	  break;
	case DT_HASH:
	  if (count == 0)
	    count = count_by_hash (object, dynamic->d_un.d_ptr);
	  break;
	}
      ++dynamic;
    }
  if (symbols == 0 || count > SIZE_MAX / sizeof (ElfW(Sym)))
    return;
  object->strings = in_object (object, strings, object->strings_size);
  object->symbols = in_object (object, symbols, count * sizeof (ElfW(Sym)));
  if (object->symbols != NULL && object->strings != NULL
      && object->strings_size > 0
      && object->strings[object->strings_size - 1] == '\0')
    object->symbols_count = count;
}

/* Return the symbol of OBJECT that covers PC; null if there is none.  Of
   several take the one that begins last, as dladdr does.  Absolute symbols and
   those of thread-local variables have no address in the object.  */
static const ElfW(Sym) *
find_symbol (const struct named_object *object, uintptr_t pc)
{
  const ElfW(Sym) *found = NULL;

  for (size_t i = 0; i < object->symbols_count; ++i)
    {
      const ElfW(Sym) *symbol = &object->symbols[i];
      uintptr_t offset = pc - object->bias - symbol->st_value;
      if (symbol->st_shndx != SHN_UNDEF && symbol->st_shndx != SHN_ABS
	  && offset <= pc - object->start
	  && ELF64_ST_TYPE (symbol->st_info) != STT_TLS
	  && symbol->st_name < object->strings_size
	  && (offset < symbol->st_size || (offset == 0 && symbol->st_size == 0))
	  && (found == NULL || symbol->st_value > found->st_value))
	found = symbol;
    }
  return found;
}

/* What is known of a PC.  */
struct pc_name
{
  const char *file;		/* Null if no object has the PC.  */
  const char *function;		/* Null if no symbol covers it.  */
  uintptr_t start;		/* The address of the function or, without one,
				   the bias of the object.  */
};

/* Return the name of the function that has the instruction at PC.  PROGRAM is
   the name of the program.  */
static struct pc_name
name_pc (uintptr_t pc, const char *program)
{
  struct dl_find_object found;
  if (_dl_find_object ((void *) pc, &found) != 0)
    return (struct pc_name) { 0 };

  const struct link_map *map = found.dlfo_link_map;
  struct named_object object = { .start = (uintptr_t) found.dlfo_map_start,
				 .end = (uintptr_t) found.dlfo_map_end,
				 .bias = map->l_addr };
  if (map->l_name[0] == '\0')
    find_program (&object);
  if (object.headers == NULL)
    find_headers (&object);
  find_symbols (&object, map->l_ld);
  const ElfW(Sym) *symbol = find_symbol (&object, pc);
  /* The name of the program in its link map is empty.  */
  const char *file = map->l_name[0] != '\0' ? map->l_name : program;
  struct pc_name name = { .file = file, .start = map->l_addr };
  if (symbol != NULL)
    {
      name.function = object.strings + symbol->st_name;
      name.start += symbol->st_value;
    }
  return name;
}
