/* Sums over bytes. A fuzzer is to find its way in the engine, not in here: without its instruments, which are slow. */

#ifndef SSIFT_DIGEST_H
#define SSIFT_DIGEST_H

#include <stddef.h>
#include <stdint.h>

#if defined(__clang__)
#define SS_UNWATCHED __attribute__((no_sanitize("coverage"), no_sanitize("address"), no_sanitize("undefined")))
#else
#define SS_UNWATCHED
#endif

SS_UNWATCHED static uint64_t ss_mixed(uint64_t sum, uint64_t word) {
    sum = (sum ^ word) * 0x9E3779B97F4A7C15u;
    return sum ^ (sum >> 29);
}

SS_UNWATCHED static uint64_t ss_mixed_bytes(uint64_t sum, const unsigned char *data, size_t n) {
    for (size_t i = 0; i < n; i++)
        sum = ss_mixed(sum, data[i]);
    return sum;
}

/* The lengths of strings; a wrong sum where offsets do not begin at 0, fall, or do not end where the data does. */
SS_UNWATCHED static uint64_t ss_mixed_lengths(uint64_t sum, const int64_t *offsets, size_t rows, size_t size) {
    for (size_t i = 0; i < rows; i++) {
        if (offsets[i + 1] < offsets[i])
            sum = ss_mixed(sum, 0xBAD);
        sum = ss_mixed(sum, (uint64_t)(offsets[i + 1] - offsets[i]));
    }
    return offsets[0] || offsets[rows] != (int64_t)size ? ss_mixed(sum, 0xBAD0) : sum;
}

SS_UNWATCHED static int ss_first_difference(const uint64_t *ones, const uint64_t *others, int n) {
    for (int i = 0; i < n; i++)
        if (ones[i] != others[i])
            return i;
    return -1;
}

#endif
