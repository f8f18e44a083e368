/* Sixteen bytes at a time.
 *
 * Nearly everything the engine asks about text is asked sixteen bytes at a
 * time: where does this string end, is this the same text as in the previous
 * record, where is the last newline. Each question has the form "compare
 * sixteen bytes with something, and give me one bit per byte", and that is
 * what the functions below answer. Bit i of a mask always speaks of p[i], so
 * the first hit is ss_ctz32(mask), and "nothing found" is zero.
 *
 * There are three ways to get such a mask, chosen when the engine is compiled
 * (see portable.h):
 *
 *   SSE2   has an instruction for it.
 *   NEON   compares as SSE2 does but has no instruction that collects one bit
 *          per byte. We keep of each 0xFF the bit that belongs to its place
 *          (1, 2, 4, ... 128, twice over) and add neighbours three times, after
 *          which each eight bytes have become one.
 *   plain  eight bytes in a 64-bit integer. A byte is zero exactly when adding
 *          0x7F to its low seven bits does not reach the top bit and the top
 *          bit was not set before; done to all eight at once no carry leaves
 *          its byte, so the answer is exact for every byte, not just for the
 *          first hit (as it is in the well-known shorter formula). A multiply
 *          then brings the eight top bits together.
 *
 * What may be read. The engine's buffers have readable slack around the text,
 * and every function relies on a part of it. Each says how much, in these
 * words: "reads p[a..b)" means those bytes must be readable, whatever they
 * hold, and nothing outside is touched. No function needs alignment.
 */
#ifndef SS_VECTOR_H
#define SS_VECTOR_H

#include "portable.h"

/* -- masks ---------------------------------------------------------------- */

#define SS_EACH8(c) ((uint64_t)0x0101010101010101u * (uint64_t)(ss_byte)(c))

#if defined(SS_NEON)

/* One bit per byte of a comparison result. */
static inline uint32_t ss_neon_mask(uint8x16_t hit) {
    static const ss_byte place[16] = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t x = vandq_u8(hit, vld1q_u8(place));
    x = vpaddq_u8(x, x);
    x = vpaddq_u8(x, x);
    x = vpaddq_u8(x, x);
    return vgetq_lane_u16(vreinterpretq_u16_u8(x), 0);
}

#elif defined(SS_PLAIN)

/* 0x80 in every byte of x that is zero, and 0 in every other. */
static inline uint64_t ss_zeros8(uint64_t x) {
    const uint64_t low = SS_EACH8(0x7F);
    return ~(((x & low) + low) | x | low);
}

/* The eight top bits together; the others must be zero. */
static inline uint32_t ss_gather8(uint64_t x) {
    return (uint32_t)(((x >> 7) * (uint64_t)0x0102040810204080u) >> 56);
}

#endif

/* Bytes that end the plain part of a JSON string: '"', '\\', or below 0x20.
 * Reads p[0..16). */
static inline uint32_t ss_string_stops16(const ss_byte* p) {
#if defined(SS_SSE2)
    const __m128i v = _mm_loadu_si128((const __m128i*)(const void*)p);
    const __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    const __m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    const __m128i low = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), low));
#elif defined(SS_NEON)
    const uint8x16_t v = vld1q_u8(p);
    const uint8x16_t quote = vceqq_u8(v, vdupq_n_u8('"'));
    const uint8x16_t slash = vceqq_u8(v, vdupq_n_u8('\\'));
    const uint8x16_t low = vcltq_u8(v, vdupq_n_u8(0x20));
    return ss_neon_mask(vorrq_u8(vorrq_u8(quote, slash), low));
#else
    uint32_t mask = 0;
    int i;
    for (i = 0; i < 16; i += 8) {
        const uint64_t v = ss_load64(p + i);
        mask |= ss_gather8(ss_zeros8(v ^ SS_EACH8('"')) | ss_zeros8(v ^ SS_EACH8('\\')) |
                           ss_zeros8(v & SS_EACH8(0xE0)))
                << i;
    }
    return mask;
#endif
}

/* Bytes that end what is plain and ASCII: as above, or 0x80 and more.
 * Reads p[0..16). */
static inline uint32_t ss_plain_stops16(const ss_byte* p) {
#if defined(SS_SSE2)
    const __m128i v = _mm_loadu_si128((const __m128i*)(const void*)p);
    const __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    const __m128i slash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    const __m128i others = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)); /* as signed numbers */
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), others));
#elif defined(SS_NEON)
    const uint8x16_t v = vld1q_u8(p);
    const uint8x16_t quote = vceqq_u8(v, vdupq_n_u8('"'));
    const uint8x16_t slash = vceqq_u8(v, vdupq_n_u8('\\'));
    const uint8x16_t others = vcltq_s8(vreinterpretq_s8_u8(v), vdupq_n_s8(0x20));
    return ss_neon_mask(vorrq_u8(vorrq_u8(quote, slash), others));
#else
    return ss_string_stops16(p) | ss_gather8(ss_load64(p) & SS_EACH8(0x80)) |
           ss_gather8(ss_load64(p + 8) & SS_EACH8(0x80)) << 8;
#endif
}

/* Is one of the 64 bytes below 0x20? Reads p[0..64). */
static inline int ss_has_control64(const ss_byte* p) {
#if defined(SS_SSE2)
    const __m128i least = _mm_min_epu8(_mm_min_epu8(_mm_loadu_si128((const __m128i*)(const void*)p),
                                                    _mm_loadu_si128((const __m128i*)(const void*)(p + 16))),
                                       _mm_min_epu8(_mm_loadu_si128((const __m128i*)(const void*)(p + 32)),
                                                    _mm_loadu_si128((const __m128i*)(const void*)(p + 48))));
    return _mm_movemask_epi8(_mm_cmpeq_epi8(_mm_min_epu8(least, _mm_set1_epi8(0x1F)), least));
#elif defined(SS_NEON)
    return vminvq_u8(vminq_u8(vminq_u8(vld1q_u8(p), vld1q_u8(p + 16)), vminq_u8(vld1q_u8(p + 32), vld1q_u8(p + 48)))) <
           0x20;
#else
    uint64_t found = 0;
    int i;
    for (i = 0; i < 64; i += 8)
        found |= ss_zeros8(ss_load64(p + i) & SS_EACH8(0xE0));
    return found != 0;
#endif
}

/* Bytes of 0x80 and above: whatever is not ASCII. Reads p[0..16). */
static inline uint32_t ss_high16(const ss_byte* p) {
#if defined(SS_SSE2)
    return (uint32_t)_mm_movemask_epi8(_mm_loadu_si128((const __m128i*)(const void*)p));
#elif defined(SS_NEON)
    return ss_neon_mask(vcgeq_u8(vld1q_u8(p), vdupq_n_u8(0x80)));
#else
    return ss_gather8(ss_load64(p) & SS_EACH8(0x80)) |
           ss_gather8(ss_load64(p + 8) & SS_EACH8(0x80)) << 8;
#endif
}

/* Bytes equal to c, of which the low eight bits count. Reads p[0..16). */
static inline uint32_t ss_equals16(const ss_byte* p, int c) {
#if defined(SS_SSE2)
    const __m128i v = _mm_loadu_si128((const __m128i*)(const void*)p);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8((char)c)));
#elif defined(SS_NEON)
    return ss_neon_mask(vceqq_u8(vld1q_u8(p), vdupq_n_u8((uint8_t)c)));
#else
    return ss_gather8(ss_zeros8(ss_load64(p) ^ SS_EACH8(c))) |
           ss_gather8(ss_zeros8(ss_load64(p + 8) ^ SS_EACH8(c))) << 8;
#endif
}

/* Bytes that are c, or would be with 0x20 set, which c has. Reads p[0..16). */
static inline uint32_t ss_either16(const ss_byte* p, int c) {
#if defined(SS_SSE2)
    const __m128i v = _mm_or_si128(_mm_loadu_si128((const __m128i*)(const void*)p), _mm_set1_epi8(0x20));
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8((char)c)));
#elif defined(SS_NEON)
    return ss_neon_mask(vceqq_u8(vorrq_u8(vld1q_u8(p), vdupq_n_u8(0x20)), vdupq_n_u8((uint8_t)c)));
#else
    return ss_gather8(ss_zeros8((ss_load64(p) | SS_EACH8(0x20)) ^ SS_EACH8(c))) |
           ss_gather8(ss_zeros8((ss_load64(p + 8) | SS_EACH8(0x20)) ^ SS_EACH8(c))) << 8;
#endif
}

/* Bytes of p that equal the byte of q at the same place. Reads p[0..16) and
 * q[0..16). */
static inline uint32_t ss_matches16(const ss_byte* p, const ss_byte* q) {
#if defined(SS_SSE2)
    const __m128i a = _mm_loadu_si128((const __m128i*)(const void*)p);
    const __m128i b = _mm_loadu_si128((const __m128i*)(const void*)q);
    return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(a, b));
#elif defined(SS_NEON)
    return ss_neon_mask(vceqq_u8(vld1q_u8(p), vld1q_u8(q)));
#else
    return ss_gather8(ss_zeros8(ss_load64(p) ^ ss_load64(q))) |
           ss_gather8(ss_zeros8(ss_load64(p + 8) ^ ss_load64(q + 8))) << 8;
#endif
}

/* -- sameness ------------------------------------------------------------- */

/* Are the sixteen bytes the same? Reads p[0..16) and q[0..16). */
static inline int ss_same16(const ss_byte* p, const ss_byte* q) {
#if defined(SS_SSE2)
    return ss_matches16(p, q) == 0xFFFF;
#elif defined(SS_NEON)
    return vminvq_u8(vceqq_u8(vld1q_u8(p), vld1q_u8(q))) == 0xFF;
#else
    return ((ss_load64(p) ^ ss_load64(q)) | (ss_load64(p + 8) ^ ss_load64(q + 8))) == 0;
#endif
}

/* Are the four blocks of sixteen the same, of which one is in front and the others
 * begin at i, j and k? */
static inline int ss_same_four(const ss_byte* p, const ss_byte* q, size_t i, size_t j, size_t k) {
#if defined(SS_SSE2)
#  define SS_SAME_AT(at)                                                                  \
      _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i*)(const void*)(p + (at))), \
                     _mm_loadu_si128((const __m128i*)(const void*)(q + (at))))
    const __m128i x = _mm_and_si128(_mm_and_si128(SS_SAME_AT(0), SS_SAME_AT(i)),
                                    _mm_and_si128(SS_SAME_AT(j), SS_SAME_AT(k)));
#  undef SS_SAME_AT
    return _mm_movemask_epi8(x) == 0xFFFF;
#else
    return ss_same16(p, q) && ss_same16(p + i, q + i) && ss_same16(p + j, q + j) && ss_same16(p + k, q + k);
#endif
}

/* Are all bytes the same whose bit is set in the mask? Reads p[0..16) and
 * q[0..16). */
static inline int ss_same16_masked(const ss_byte* p, const ss_byte* q, uint32_t mask) {
    return (~ss_matches16(p, q) & mask & 0xFFFF) == 0;
}

/* Are the n bytes at p those of the literal q? Stops at the first block of
 * sixteen that differs.
 *
 * Reads q[0..n), and q[0..16) when n is below 16.
 * Reads p no further than q, and no further than 15 bytes beyond the first
 * byte that differs: p need not be known to have n bytes. */
static inline int ss_same_run(const ss_byte* p, const ss_byte* q, size_t n) {
    size_t i;
    if (n < 16)
        return n == 0 || ss_same16_masked(p, q, ((uint32_t)1 << n) - 1);
    for (i = 16; i <= n; i += 16)
        if (!ss_same16(p + i - 16, q + i - 16))
            return 0;
    /* The rest, together with bytes already seen to be the same. */
    return i - n == 16 || ss_same16(p + n - 16, q + n - 16);
}

/* Are the 64 bytes the same? Reads p[0..64) and q[0..64). */
static inline int ss_same64(const ss_byte* p, const ss_byte* q) { return ss_same_four(p, q, 16, 32, 48); }

/* The same question for a literal of any length. Blocks overlap at the end, which
 * costs less than a loop for the rest.
 *
 * Reads q[0..n), and q[0..16) when n is below 16; p up to 63 bytes beyond the
 * first byte that differs. */
static inline int ss_same_long(const ss_byte* p, const ss_byte* q, size_t n) {
    size_t i;
    if (n < 16)
        return ss_same16_masked(p, q, ((uint32_t)1 << n) - 1);
    if (n < 64)
        return ss_same_four(p, q, n & 32 ? 16 : 0, n & 32 ? n - 32 : n - 16, n - 16);
    for (i = 0; i + 64 <= n; i += 64)
        if (!ss_same64(p + i, q + i))
            return 0;
    return i == n || ss_same64(p + n - 64, q + n - 64);
}

/* The same question for a short text in a finished column, n > 0, where nothing else may be read: blocks that overlap,
 * of eight or four bytes, or three single ones. Reads p[0..n) and q[0..n). */
static inline int ss_same_within(const ss_byte* p, const ss_byte* q, size_t n) {
    uint64_t p8[2], q8[2];
    uint32_t p4[2], q4[2];
    if (n > 16)
        return memcmp(p, q, n) == 0;
    if (n >= 8) {
        memcpy(p8, p, 8);
        memcpy(q8, q, 8);
        memcpy(p8 + 1, p + n - 8, 8);
        memcpy(q8 + 1, q + n - 8, 8);
        return ((p8[0] ^ q8[0]) | (p8[1] ^ q8[1])) == 0;
    }
    if (n >= 4) {
        memcpy(p4, p, 4);
        memcpy(q4, q, 4);
        memcpy(p4 + 1, p + n - 4, 4);
        memcpy(q4 + 1, q + n - 4, 4);
        return ((p4[0] ^ q4[0]) | (p4[1] ^ q4[1])) == 0;
    }
    return ((p[0] ^ q[0]) | (p[n / 2] ^ q[n / 2]) | (p[n - 1] ^ q[n - 1])) == 0;
}

/* Which of the sixteen bytes are a comma or a closing brace? Reads p[0..16). */
static inline uint32_t ss_value_ends16(const ss_byte* p) {
#if defined(SS_SSE2)
    const __m128i x = _mm_loadu_si128((const __m128i*)(const void*)p);
    return (uint32_t)_mm_movemask_epi8(
        _mm_or_si128(_mm_cmpeq_epi8(x, _mm_set1_epi8(',')), _mm_cmpeq_epi8(x, _mm_set1_epi8('}'))));
#else
    return ss_equals16(p, ',') | ss_equals16(p, '}');
#endif
}

/* Copies sixteen bytes; d and s may overlap. Reads s[0..16), writes d[0..16). */
static inline void ss_copy16(ss_byte* d, const ss_byte* s) {
#if defined(SS_SSE2)
    _mm_storeu_si128((__m128i*)(void*)d, _mm_loadu_si128((const __m128i*)(const void*)s));
#elif defined(SS_NEON)
    vst1q_u8(d, vld1q_u8(s));
#else
    uint64_t x[2];
    memcpy(x, s, 16);
    memcpy(d, x, 16);
#endif
}

/* -- lines ---------------------------------------------------------------- */

/* The last LF in [begin, end), or NULL. Reads nothing outside. */
static inline const ss_byte* ss_last_lf(const ss_byte* begin, const ss_byte* end) {
    while (end - begin >= 16) {
        const uint32_t mask = ss_equals16(end - 16, '\n');
        if (mask)
            return end - 16 + (31 - ss_clz32(mask));
        end -= 16;
    }
    while (end != begin)
        if (*--end == '\n')
            return end;
    return NULL;
}

/* The number of LF in [begin, end). Reads nothing outside. */
static inline size_t ss_count_lf(const ss_byte* begin, const ss_byte* end) {
    size_t count = 0;
#if defined(SS_SSE2)
    /* A hit is -1 in its byte. We subtract hits in bytes, which can take 255
     * of them, before we add the bytes up. */
    const __m128i lf = _mm_set1_epi8('\n');
    const __m128i zero = _mm_setzero_si128();
    while (end - begin >= 16) {
        const size_t left = (size_t)(end - begin) / 16;
        size_t blocks = left < 255 ? left : 255;
        __m128i sums = zero;
        for (; blocks; blocks--, begin += 16) {
            const __m128i v = _mm_loadu_si128((const __m128i*)(const void*)begin);
            sums = _mm_sub_epi8(sums, _mm_cmpeq_epi8(v, lf));
        }
        sums = _mm_sad_epu8(sums, zero);
        count += (size_t)_mm_cvtsi128_si32(sums);
        count += (size_t)_mm_cvtsi128_si32(_mm_unpackhi_epi64(sums, sums));
    }
#elif defined(SS_NEON)
    const uint8x16_t lf = vdupq_n_u8('\n');
    while (end - begin >= 16) {
        const size_t left = (size_t)(end - begin) / 16;
        size_t blocks = left < 255 ? left : 255;
        uint8x16_t sums = vdupq_n_u8(0);
        for (; blocks; blocks--, begin += 16)
            sums = vsubq_u8(sums, vceqq_u8(vld1q_u8(begin), lf));
        count += vaddlvq_u8(sums);
    }
#else
    while (end - begin >= 8) {
        const size_t left = (size_t)(end - begin) / 8;
        size_t blocks = left < 255 ? left : 255;
        uint64_t sums = 0;
        for (; blocks; blocks--, begin += 8)
            sums += ss_zeros8(ss_load64(begin) ^ SS_EACH8('\n')) >> 7;
        /* Eight sums of at most 255 each do not fit a byte: make them four of
         * sixteen bits first, then let a multiply add those. */
        sums = (sums & 0x00FF00FF00FF00FFu) + (sums >> 8 & 0x00FF00FF00FF00FFu);
        count += (size_t)((sums * (uint64_t)0x0001000100010001u) >> 48);
    }
#endif
    for (; begin != end; begin++)
        count += *begin == '\n';
    return count;
}

#endif
