/* The entry points that fuzzers look for; -DHARNESS=framing (chunk, whole, ...) names the harness. With -DREPLAY it is a
 * program by itself that reads the files it is given: under valgrind, for coverage, without a fuzzer. */

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define SSIFT_HEAP_ITSELF
#include "heap.h"

#define JOINED(a, b) a##b
#define NAMED(name) JOINED(ssift_fuzz_, name)

void ssift_fuzz_begin(void);
void NAMED(HARNESS)(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerInitialize(int *argc, char ***argv) {
    (void)argc;
    (void)argv;
    ssift_fuzz_begin();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    ss_heap_begin();
    NAMED(HARNESS)(data, size);
    ss_heap_end();
    return 0;
}

#ifdef REPLAY
int main(int argc, char **argv) {
    LLVMFuzzerInitialize(&argc, &argv);
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file || fseek(file, 0, SEEK_END)) {
            perror(argv[i]);
            return 2;
        }
        size_t size = (size_t)ftell(file);
        uint8_t *data = malloc(size ? size : 1);
        rewind(file);
        if (!data || fread(data, 1, size, file) != size) {
            perror(argv[i]);
            return 2;
        }
        fclose(file);
        LLVMFuzzerTestOneInput(data, size);
        free(data);
    }
    printf("%d inputs\n", argc - 1);
    return 0;
}
#endif
