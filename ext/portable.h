/* What compilers and machines differ in, all in one place.
 *
 * The other headers are standard C and ask here for the rest, by a name. Each
 * name has up to three forms:
 *
 *   GNU    gcc and clang.
 *   MSVC   Microsoft's compiler, and clang in its place (clang-cl).
 *   plain  standard C11, for every other compiler; where C has no word for a
 *          thing, there is nothing, or a slower way to the same result.
 *
 * Define SS_PLAIN_C to get the plain form of everything anywhere, vectors and
 * 128-bit integers included; the tests do. The MSVC forms are tried there, too,
 * with stand-ins for the functions of its <intrin.h>.
 */
#ifndef SS_PORTABLE_H
#define SS_PORTABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char ss_byte;

/* -- who compiles, and for what ------------------------------------------- */

#if defined(SS_PLAIN_C)
#elif defined(_MSC_VER)
#  define SS_MSVC 1
#  include <intrin.h>
#elif defined(__GNUC__) || defined(__clang__)
#  define SS_GNU 1
#endif

/* SSE2: every x86-64 machine has it, and NEON: every arm64 machine has it. So there is nothing to detect. */
#if defined(SS_PLAIN_C)
#  define SS_PLAIN 1
#elif defined(__SSE2__) || defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2)
#  define SS_SSE2 1
#  include <emmintrin.h>
#  if defined(__x86_64__) || defined(_M_X64)
#    define SS_X64 1
#  endif
#elif (defined(__aarch64__) && defined(__ARM_NEON) && !defined(__AARCH64EB__)) || defined(_M_ARM64)
#  define SS_NEON 1
#  include <arm_neon.h>
#else
#  define SS_PLAIN 1
#endif

#if defined(__BYTE_ORDER__) && defined(__ORDER_BIG_ENDIAN__)
#  if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#    define SS_BIG_ENDIAN 1
#  endif
#endif

/* One rounding an operation. gcc and clang are told so by their options, see setup.py. */
#if defined(SS_MSVC) && defined(__clang__)
#  pragma STDC FP_CONTRACT OFF
#elif defined(SS_MSVC)
#  pragma fp_contract(off)
#endif

/* -- words to the compiler -------------------------------------------------- */

#if defined(SS_GNU)
#  define SS_LIKELY(x) __builtin_expect(!!(x), 1)
#  define SS_UNLIKELY(x) __builtin_expect(!!(x), 0)
#else
#  define SS_LIKELY(x) (x)
#  define SS_UNLIKELY(x) (x)
#endif

/* Of a static function, that need not be used. */
#if defined(SS_GNU)
#  define SS_NOINLINE __attribute__((noinline, unused))
#elif defined(SS_MSVC)
#  define SS_NOINLINE __declspec(noinline)
#else
#  define SS_NOINLINE inline
#endif

#if defined(SS_GNU)
#  define SS_ALIGNED(bytes) __attribute__((aligned(bytes)))
#elif defined(SS_MSVC)
#  define SS_ALIGNED(bytes) __declspec(align(bytes))
#else
#  define SS_ALIGNED(bytes)
#endif

/* A macro on purpose: GCC finds that a function which only prefetches has no
 * effect, and drops its calls. Any address will do, readable or not. */
#if defined(SS_GNU)
#  define SS_PREFETCH(p) __builtin_prefetch((const void*)(p))
#elif defined(SS_MSVC) && defined(SS_SSE2)
#  define SS_PREFETCH(p) _mm_prefetch((const char*)(p), _MM_HINT_T0)
#elif defined(SS_MSVC) && defined(SS_NEON)
#  define SS_PREFETCH(p) __prefetch((const void*)(p))
#else
#  define SS_PREFETCH(p) ((void)(p))
#endif

/* The same of each cache line in `size` bytes from `p` on. */
#define SS_PREFETCH_ALL(p, size)                                      \
    do {                                                              \
        const ss_byte* ss_line = (p);                                 \
        const ss_byte* const ss_behind = ss_line + (size);            \
        for (; ss_line < ss_behind; ss_line += 64)                    \
            SS_PREFETCH(ss_line);                                     \
    } while (0)

/* A function made for several machines, of which one is chosen when it is first
 * called: gcc with the C library of GNU can do that. */
#if defined(SS_GNU) && defined(__gnu_linux__) && defined(__x86_64__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#  define SS_WIDEST __attribute__((target_clones("default", "avx2", "avx512f")))
#else
#  define SS_WIDEST
#endif

/* In a typedef: a vector of 64 bytes of that type, with operators. Not defined where there is none. */
#if defined(SS_GNU)
#  define SS_VECTOR __attribute__((vector_size(64)))
#endif

/* The byte shuffle of SSSE3 may be compiled into functions that are marked so, and called where ss_has_ssse3() says 1. */
#if defined(SS_SSE2) && (defined(SS_GNU) || defined(SS_MSVC))
#  include <tmmintrin.h>
#  define SS_CAN_ASK_FOR_SSSE3 1
#  if defined(__GNUC__) || defined(__clang__)
#    define SS_WITH_SSSE3 __attribute__((target("ssse3")))
#  else
#    define SS_WITH_SSSE3
#  endif

static inline int ss_has_ssse3(void) {
#  if defined(SS_GNU)
    __builtin_cpu_init();
    return __builtin_cpu_supports("ssse3") != 0;
#  else
    int registers[4];
    __cpuid(registers, 1);
    return registers[2] >> 9 & 1;
#  endif
}
#endif

/* -- bits ---------------------------------------------------------------- */

/* Number of zero bits below the lowest set bit, or above the highest one. The
 * argument must not be zero. */

#if defined(SS_GNU)

static inline int ss_ctz32(uint32_t x) { return __builtin_ctz(x); }
static inline int ss_ctz64(uint64_t x) { return __builtin_ctzll(x); }
static inline int ss_clz32(uint32_t x) { return __builtin_clz(x); }
static inline int ss_clz64(uint64_t x) { return __builtin_clzll(x); }

#elif defined(SS_MSVC)

static inline int ss_ctz32(uint32_t x) {
    unsigned long i;
    _BitScanForward(&i, x);
    return (int)i;
}

static inline int ss_clz32(uint32_t x) {
    unsigned long i;
    _BitScanReverse(&i, x);
    return 31 - (int)i;
}

#  if defined(_M_X64) || defined(_M_ARM64)

static inline int ss_ctz64(uint64_t x) {
    unsigned long i;
    _BitScanForward64(&i, x);
    return (int)i;
}

static inline int ss_clz64(uint64_t x) {
    unsigned long i;
    _BitScanReverse64(&i, x);
    return 63 - (int)i;
}

#  else

static inline int ss_ctz64(uint64_t x) {
    return (uint32_t)x ? ss_ctz32((uint32_t)x) : 32 + ss_ctz32((uint32_t)(x >> 32));
}

static inline int ss_clz64(uint64_t x) {
    return (x >> 32) ? ss_clz32((uint32_t)(x >> 32)) : 32 + ss_clz32((uint32_t)x);
}

#  endif

#else

static inline int ss_ctz64(uint64_t x) {
    int n = 0, step;
    for (step = 32; step; step >>= 1)
        if (!(x & (((uint64_t)1 << step) - 1))) {
            n += step;
            x >>= step;
        }
    return n;
}

static inline int ss_clz64(uint64_t x) {
    int n = 63, step;
    for (step = 32; step; step >>= 1)
        if (x >> step) {
            n -= step;
            x >>= step;
        }
    return n;
}

static inline int ss_ctz32(uint32_t x) { return ss_ctz64(x); }
static inline int ss_clz32(uint32_t x) { return ss_clz64(x) - 32; }

#endif

/* How many bits are set. Without a word of the compiler: numbers of two bits each, of four, of eight, and their sum. */
static inline int ss_count64(uint64_t x) {
#if defined(SS_GNU)
    return __builtin_popcountll(x);
#else
    x -= x >> 1 & 0x5555555555555555u;
    x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu;
    return (int)(x * 0x0101010101010101u >> 56);
#endif
}

/* a * b, upper half to *upper, lower half returned. */
static inline uint64_t ss_multiply64(uint64_t a, uint64_t b, uint64_t* upper) {
#if defined(SS_GNU) && defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 wide;
    const wide product = (wide)a * b;
    *upper = (uint64_t)(product >> 64);
    return (uint64_t)product;
#elif defined(SS_MSVC) && defined(_M_X64)
    return _umul128(a, b, upper);
#elif defined(SS_MSVC) && defined(_M_ARM64)
    *upper = __umulh(a, b);
    return a * b;
#else
    const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
    const uint64_t low = a0 * b0;
    const uint64_t middle = a1 * b0 + (low >> 32); /* cannot overflow, nor can the next */
    const uint64_t other = a0 * b1 + (uint32_t)middle;
    *upper = a1 * b1 + (middle >> 32) + (other >> 32);
    return other << 32 | (uint32_t)low;
#endif
}

/* -- bytes ---------------------------------------------------------------- */

/* Eight bytes as an integer whose lowest byte is p[0]. Reads p[0..8). */
static inline uint64_t ss_load64(const ss_byte* p) {
#if defined(SS_BIG_ENDIAN)
    uint64_t x = 0;
    int i;
    for (i = 7; i >= 0; i--)
        x = x << 8 | p[i];
    return x;
#else
    uint64_t x;
    memcpy(&x, p, 8);
    return x;
#endif
}

#endif
