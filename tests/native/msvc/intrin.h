/* Stand-ins for what portable.h takes of Microsoft's <intrin.h>, so that its MSVC forms run where that compiler is not:
 * built with -D_MSC_VER=1930 -D_M_X64=100, this folder on the path. They show that the forms are right, not that the
 * compiler takes them.
 */
#ifndef SSIFT_INTRIN_H
#define SSIFT_INTRIN_H

#include <cpuid.h>
#include <stdint.h>

#define __declspec(word) SS_DECLSPEC_##word
#define SS_DECLSPEC_noinline __attribute__((noinline, unused))
#define SS_DECLSPEC_align(bytes) __attribute__((aligned(bytes)))

static inline unsigned char _BitScanForward(unsigned long* place, uint32_t x) {
    *place = (unsigned long)__builtin_ctz(x);
    return 1;
}

static inline unsigned char _BitScanReverse(unsigned long* place, uint32_t x) {
    *place = 31 - (unsigned long)__builtin_clz(x);
    return 1;
}

static inline unsigned char _BitScanForward64(unsigned long* place, uint64_t x) {
    *place = (unsigned long)__builtin_ctzll(x);
    return 1;
}

static inline unsigned char _BitScanReverse64(unsigned long* place, uint64_t x) {
    *place = 63 - (unsigned long)__builtin_clzll(x);
    return 1;
}

static inline uint64_t _umul128(uint64_t a, uint64_t b, uint64_t* upper) {
    const unsigned __int128 product = (unsigned __int128)a * b;
    *upper = (uint64_t)(product >> 64);
    return (uint64_t)product;
}

#undef __cpuid /* of <cpuid.h>, with other arguments */
static inline void __cpuid(int registers[4], int leaf) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    __get_cpuid((unsigned)leaf, &a, &b, &c, &d);
    registers[0] = (int)a;
    registers[1] = (int)b;
    registers[2] = (int)c;
    registers[3] = (int)d;
}

#endif
