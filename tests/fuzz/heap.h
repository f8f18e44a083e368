/* The memory of the engine in the fuzzers. Included before all else (-include), so that the engine's malloc, realloc and
 * free are those of heap.c; each execution begins with ss_heap_begin and ends with ss_heap_end. */

#ifndef SSIFT_HEAP_H
#define SSIFT_HEAP_H

#include <stddef.h>
#include <stdlib.h>

void ss_heap_begin(void);
void ss_heap_end(void);            /* stops the program when something was not given back */
size_t ss_heap_requests(void);     /* for memory, since ss_heap_begin */
void ss_heap_refuse(size_t request); /* the request of this number, counted from 1, gets NULL; 0: none */
void *ss_heap_take(size_t size);
void *ss_heap_grow(void *block, size_t size);
void ss_heap_give_back(void *block);

#ifndef SSIFT_HEAP_ITSELF
#define malloc(size) ss_heap_take(size)
#define realloc(block, size) ss_heap_grow(block, size)
#define free(block) ss_heap_give_back(block)
#endif

#endif
