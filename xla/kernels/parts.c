//go:build linux && cgo

#include "parts.h"

#include <pthread.h>
#include <stdlib.h>

int64_t pengcde_part = 1 << 16;
_Atomic int64_t pengcde_tasks;

// Parts that are taken one after another, by the caller and by tasks in XLA's threads.
typedef struct {
  pthread_mutex_t lock;
  pthread_cond_t all_done;
  void (*work)(void *of, int64_t part);
  void *of;
  int64_t parts, next, done;
  int users; // the caller and the tasks; the last one frees the memory, since a task may start after all is done
} sharing;

// take runs parts until none is left.
static void take(sharing *s) {
  pthread_mutex_lock(&s->lock);
  while (s->next < s->parts) {
    int64_t part = s->next++;
    pthread_mutex_unlock(&s->lock);
    s->work(s->of, part);
    pthread_mutex_lock(&s->lock);
    if (++s->done == s->parts)
      pthread_cond_signal(&s->all_done);
  }
  pthread_mutex_unlock(&s->lock);
}

static void leave(sharing *s) {
  pthread_mutex_lock(&s->lock);
  int left = --s->users;
  pthread_mutex_unlock(&s->lock);
  if (left > 0)
    return;
  pthread_cond_destroy(&s->all_done);
  pthread_mutex_destroy(&s->lock);
  free(s);
}

static void task(void *shared) {
  pengcde_tasks++;
  take(shared);
  leave(shared);
}

// accepted reports whether XLA did what it was asked, and frees its error.
static int accepted(call_frame *f, void *error) {
  if (error == NULL)
    return 1;
  destroy_error_args args = {sizeof args, NULL, error};
  f->api->destroy_error(&args);
  return 0;
}

// threads returns the number of XLA's threads, 1 if XLA does not say.
static int64_t threads(call_frame *f) {
  int64_t count = 1;
  if (f->api->struct_size < sizeof(ffi_api))
    return 1;
  count_threads_args args = {sizeof args, NULL, f->context, &count};
  return accepted(f, f->api->count_threads(&args)) ? count : 1;
}

void pengcde_share(call_frame *f, int64_t parts, int64_t size, void (*work)(void *of, int64_t part), void *of) {
  int64_t most = parts * size / pengcde_part < parts ? parts * size / pengcde_part : parts;
  int64_t users = most > 1 ? threads(f) : 1;
  if (users > most)
    users = most;
  sharing *s = users > 1 ? malloc(sizeof *s) : NULL;
  if (s == NULL) {
    for (int64_t part = 0; part < parts; part++)
      work(of, part);
    return;
  }
  *s = (sharing){.work = work, .of = of, .parts = parts, .users = (int)users};
  pthread_mutex_init(&s->lock, NULL);
  pthread_cond_init(&s->all_done, NULL);
  for (int64_t i = 1; i < users; i++) {
    schedule_args args = {sizeof args, NULL, f->context, task, s};
    if (!accepted(f, f->api->schedule(&args)))
      leave(s); // in place of the task
  }
  take(s);
  pthread_mutex_lock(&s->lock);
  while (s->done < s->parts)
    pthread_cond_wait(&s->all_done, &s->lock);
  pthread_mutex_unlock(&s->lock);
  leave(s);
}
