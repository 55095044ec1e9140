// Work in parts, which XLA's threads share.
#ifndef PENGCDE_PARTS_H
#define PENGCDE_PARTS_H

#include "ffi.h"

// The size of a part: 65536 entries of lists, or other work that takes about as long. Tests change it.
extern int64_t pengcde_part;

// The number of tasks that XLA's threads took, for tests.
extern _Atomic int64_t pengcde_tasks;

// parts_of returns the number of parts of work of a size, which depends on no number of threads.
static inline int64_t parts_of(int64_t size) { return size > pengcde_part ? size / pengcde_part : 1; }

// first_of returns the first of count things that belongs to a part, and count after the last part.
static inline int64_t first_of(int64_t part, int64_t parts, int64_t count) { return count * part / parts; }

// pengcde_share runs work for each part in [0, parts), in any order, and returns when all have run. If they are
// two pengcde_part or more in all, of the given size each, and XLA has several threads, several run at the same time.
void pengcde_share(call_frame *f, int64_t parts, int64_t size, void (*work)(void *of, int64_t part), void *of);

#endif
