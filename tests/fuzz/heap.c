/* Blocks side by side in one piece of memory, all of it forbidden but the blocks (AddressSanitizer's poison).
 *
 * Cheaper than the sanitizer's own malloc, which is made for programs and not for a thousand engines a second, and
 * stricter: no memory is given out twice in an execution, so what is read after it was given back is always seen; what
 * grows always moves; and what an engine does not give back stops the program at once.
 *
 * Without the sanitizer, under valgrind or for coverage, a block is one of malloc's. */

#define SSIFT_HEAP_ITSELF
#include "heap.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WATCHED
#endif
#endif

static size_t requests, refused, held;

static void stop(const char *what) {
    fprintf(stderr, "ssift: %s\n", what);
    abort();
}

static int is_refused(void) { return ++requests == refused; }

void ss_heap_refuse(size_t request) { refused = request; }

size_t ss_heap_requests(void) { return requests; }

#ifdef WATCHED

#include <sanitizer/asan_interface.h>

#define PLAIN __attribute__((no_sanitize("address", "coverage")))

enum { ROOM = 64 << 20, UNIT = 16, EDGE = 64, FILLED = 4096, JUNK = 0xBE };

typedef struct {
    size_t size;
    size_t given; /* 1 until it is given back */
} Head;           /* stands before a block, forbidden as the edge behind it */

_Static_assert(sizeof(Head) == UNIT, "blocks stay aligned");

static _Alignas(EDGE) unsigned char memory[ROOM];
static size_t used;

void ss_heap_begin(void) {
    static int forbidden;
    if (!forbidden) {
        ASAN_POISON_MEMORY_REGION(memory, ROOM);
        forbidden = 1;
    }
    used = requests = refused = 0;
}

void ss_heap_end(void) {
    if (held)
        stop("memory was not given back");
}

PLAIN static Head *head_of(void *block) {
    unsigned char *at = block;
    if (at < memory + UNIT || at >= memory + used || (at - memory) % UNIT)
        stop("what is given back was never taken");
    Head *head = (Head *)(at - UNIT);
    if (!head->given)
        stop("memory is given back, or grows, that was given back before");
    return head;
}

PLAIN void *ss_heap_take(size_t size) {
    if (is_refused())
        return NULL;
    if (size > ROOM || used + size + UNIT + EDGE > ROOM)
        stop("more memory than these inputs can be worth");
    Head *head = (Head *)(memory + used);
    unsigned char *block = memory + used + UNIT;
    *head = (Head){size, 1};
    used += UNIT + (size + EDGE + UNIT - 1) / UNIT * UNIT;
    held++;
    ASAN_UNPOISON_MEMORY_REGION(block, size);
    memset(block, JUNK, size < FILLED ? size : FILLED);
    return block;
}

PLAIN void ss_heap_give_back(void *block) {
    if (!block)
        return;
    Head *head = head_of(block);
    head->given = 0;
    held--;
    ASAN_POISON_MEMORY_REGION(block, (head->size + UNIT - 1) / UNIT * UNIT);
}

PLAIN void *ss_heap_grow(void *block, size_t size) {
    size_t old = block ? head_of(block)->size : 0;
    void *larger = ss_heap_take(size);
    if (larger && block) {
        memcpy(larger, block, old < size ? old : size);
        ss_heap_give_back(block);
    }
    return larger;
}

#else

void ss_heap_begin(void) { requests = refused = 0; }

void ss_heap_end(void) {
    if (held)
        stop("memory was not given back");
}

void *ss_heap_take(size_t size) {
    void *block = is_refused() ? NULL : malloc(size ? size : 1);
    held += block != NULL;
    return block;
}

void *ss_heap_grow(void *block, size_t size) {
    void *larger = is_refused() ? NULL : realloc(block, size);
    held += larger && !block;
    return larger;
}

void ss_heap_give_back(void *block) {
    held -= block != NULL;
    free(block);
}

#endif
