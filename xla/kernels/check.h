// The signature of a handler, as a table, and the check of a call against it. The contents of tensors, such as node
// numbers, are not checked: that would take as long as some kernels.
#ifndef PENGCDE_CHECK_H
#define PENGCDE_CHECK_H

#include "ffi.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { REALS = -1 }; // float32 or float64, the same for all operands of a call
enum { MOST_RANK = 8 };

// An operand has a letter for each of its dimensions. Equal letters mean equal sizes, a digit means itself, and '.' any
// size. A list of operands ends with an operand without a name.
typedef struct {
  const char *name;
  int type;
  const char *dims;
} operand;

// The last input of a signature may occur up to repeats times; 0 means once.
typedef struct {
  const char *kernel;
  const operand *in, *out;
  int repeats;
} signature;

// The result of matching a call with a signature: the float type, and the size of each letter, -1 while unknown.
typedef struct {
  int reals;
  int64_t of['z' + 1 - 'A'];
} fit;

#define SIZE(fit, letter) ((fit)->of[(letter) - 'A'])

static inline void clear(fit *s) {
  s->reals = REALS;
  memset(s->of, -1, sizeof s->of);
}

// invalid returns an XLA error with a printf-formatted message.
__attribute__((format(printf, 2, 3))) static inline void *invalid(call_frame *f, const char *format, ...) {
  char message[512];
  va_list values;
  va_start(values, format);
  vsnprintf(message, sizeof message, format, values);
  va_end(values);
  error_args args = {sizeof args, NULL, message, INVALID_ARGUMENT};
  return f->api->create_error(&args);
}

static inline const char *type_name(int type) {
  static const char *const names[] = {"invalid", "bool",   "int8",    "int16",   "int32",   "int64", "uint8",
                                      "uint16",  "uint32", "uint64",  "float16", "float32", "float64"};
  if (type == REALS)
    return "float32 or float64";
  return type >= 0 && type < (int)(sizeof names / sizeof *names) ? names[type] : "another type";
}

// fits_operand returns whether a tensor matches an operand, and records the sizes of new letters.
static inline int fits_operand(fit *s, const operand *o, const buffer *got) {
  int real = got->type == TYPE_F32 || got->type == TYPE_F64;
  if (o->type == REALS ? !real || (s->reals != REALS && got->type != s->reals) : got->type != o->type)
    return 0;
  if (o->type == REALS)
    s->reals = got->type;
  int64_t rank = 0;
  for (const char *c = o->dims; *c != 0; c++, rank++) {
    if (rank == got->rank)
      return 0;
    int64_t size = got->dims[rank];
    if (*c == '.')
      continue;
    if (*c >= '0' && *c <= '9') {
      if (size != *c - '0')
        return 0;
      continue;
    }
    if (SIZE(s, *c) < 0)
      SIZE(s, *c) = size;
    if (SIZE(s, *c) != size)
      return 0;
  }
  return rank == got->rank;
}

// misfit returns the error for an operand that does not match. It gives the tensor and the operand, with the known
// sizes.
static inline void *misfit(call_frame *f, const fit *s, const char *kernel, const char *side, int64_t at,
                           const operand *o, const buffer *got) {
  char dims[MOST_RANK * 24] = "", wanted[MOST_RANK * 24] = "";
  int64_t rank = got->rank;
  for (int64_t i = 0, used = 0; i < rank && i < MOST_RANK; i++)
    used += snprintf(dims + used, sizeof dims - used, "%s%lld", i > 0 ? "," : "", (long long)got->dims[i]);
  int used = 0;
  for (const char *c = o->dims; *c != 0; c++) {
    used += snprintf(wanted + used, sizeof wanted - used, "%s%c", c > o->dims ? "," : "", *c == '.' ? '?' : *c);
    if (*c >= 'A' && SIZE(s, *c) >= 0)
      used += snprintf(wanted + used, sizeof wanted - used, "=%lld", (long long)SIZE(s, *c));
  }
  return invalid(f, "%s: %s %lld is %s [%s%s], want %s, %s [%s]", kernel, side, (long long)at, type_name(got->type),
                 dims, rank > MOST_RANK ? ",..." : "", o->name,
                 type_name(o->type == REALS && s->reals != REALS ? s->reals : o->type), wanted);
}

// check_side checks the inputs or the outputs.
static inline void *check_side(call_frame *f, fit *s, const char *kernel, const char *side, const buffers *got,
                               const operand *wanted, int repeats) {
  int64_t least = 0, most;
  while (wanted[least].name != NULL)
    least++;
  most = least + (repeats > 1 ? repeats - 1 : 0);
  if (got->size < least || got->size > most) {
    if (most == least)
      return invalid(f, "%s: %lld %ss, want %lld", kernel, (long long)got->size, side, (long long)least);
    return invalid(f, "%s: %lld %ss, want %lld to %lld", kernel, (long long)got->size, side, (long long)least,
                   (long long)most);
  }
  for (int64_t i = 0; i < got->size; i++) {
    const operand *o = wanted + (i < least ? i : least - 1);
    if (got->types[i] != KIND_BUFFER)
      return invalid(f, "%s: %s %lld is no tensor, want %s", kernel, side, (long long)i, o->name);
    if (!fits_operand(s, o, got->at[i]))
      return misfit(f, s, kernel, side, i, o, got->at[i]);
  }
  return NULL;
}

// check returns an error for a call that does not match its signature, else NULL and the sizes. Letters may be set
// before the call. The batch B must be a multiple of the seeds S of the parameters.
static inline void *check(call_frame *f, const signature *wanted, fit *s) {
  void *error = check_side(f, s, wanted->kernel, "input", &f->in, wanted->in, wanted->repeats);
  if (error == NULL)
    error = check_side(f, s, wanted->kernel, "output", &f->out, wanted->out, 0);
  int64_t seeds = SIZE(s, 'S'), batch = SIZE(s, 'B');
  if (error == NULL && (seeds == 0 || (seeds > 0 && batch % seeds != 0)))
    return invalid(f, "%s: parameters of %lld seeds for a batch of %lld, want a batch that they share evenly",
                   wanted->kernel, (long long)seeds, (long long)batch);
  return error;
}

// refused begins a call, and returns whether its handler should return error: NULL after XLA's query, else what check
// returned.
static inline int refused(call_frame *f, const signature *wanted, fit *s, void **error) {
  *error = NULL;
  if (begin(f))
    return 1;
  clear(s);
  *error = check(f, wanted, s);
  return *error != NULL;
}

#endif
