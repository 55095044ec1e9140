// Work in parts, which XLA's threads share.
#ifndef PENGCDE_PARTS_H
#define PENGCDE_PARTS_H

#include "ffi.h"

// The size of a part: 65536 entries of lists, or other work that takes about as long. Tests change it.
extern int64_t pengcde_part;

// pengcde_share runs work for each part in [0, parts), in any order, and returns when all have run. If they are
// two pengcde_part or more in all, of the given size each, and XLA has several threads, several run at the same time.
void pengcde_share(call_frame *f, int64_t parts, int64_t size, void (*work)(void *of, int64_t part), void *of);

#endif
