/* JSON inside of a JSON string: every quote stands behind a backslash, one in
 * six or seven bytes.
 *
 * 64 bytes at a time: where the quotes are just the bytes behind backslashes,
 * and nothing is a control character, all that is to do is to take the
 * backslashes out. (A backslash behind another is no quote, so it shows, too.)
 * Else the first byte where that does not hold is where it stops: what stands
 * before is taken as ever.
 *
 * Taking bytes out of eight is one shuffle by a table. The shuffle is not in
 * the least of x86-64 processors: it is asked for once.
 */
#ifndef SSIFT_UNQUOTE_H
#define SSIFT_UNQUOTE_H

#include "structure.h"
#include "vector.h"

#if defined(SS_CAN_ASK_FOR_SSSE3)
#  define SS_SHUFFLE_ASKED 1
#elif defined(SS_NEON)
#  define SS_SHUFFLE_ALWAYS 1
#endif

static uint64_t ss_kept[256];       /* of eight bytes whose bits are backslashes: the places of those that stay */
static uint64_t ss_kept_upper[256]; /* the same of the upper half of sixteen */
static ss_byte ss_kept_count[256];
#if defined(SS_SHUFFLE_ASKED) || defined(SS_SHUFFLE_ALWAYS)
static int ss_has_shuffle;
#endif

static void ss_unquote_begin(void) {
    int bits, i;
    for (bits = 0; bits < 256; bits++) {
        ss_kept[bits] = 0;
        ss_kept_count[bits] = 0;
        for (i = 0; i < 8; i++)
            if (!(bits >> i & 1))
                ss_kept[bits] |= (uint64_t)i << 8 * ss_kept_count[bits]++;
        ss_kept_upper[bits] = ss_kept[bits] + 0x0808080808080808u;
    }
#if defined(SS_SHUFFLE_ASKED)
    ss_has_shuffle = ss_has_ssse3();
#elif defined(SS_SHUFFLE_ALWAYS)
    ss_has_shuffle = 1;
#endif
}

/* Is each of the 16 bytes at `p` that stops a string a quote behind a backslash, or that backslash? */
static inline int ss_only_quotes(const ss_byte* p, uint32_t stops, uint32_t slashes) {
    const uint32_t behind = slashes << 1 & 0xFFFF;
    return stops == (slashes | behind) && ss_equals16(p, '"') == behind && (slashes < 0x8000 || p[16] == '"');
}

/* Control characters among the 64 bytes. */
static SS_NOINLINE uint64_t ss_controls64(const ss_byte* p, uint64_t slashes, uint64_t quotes) {
    const uint64_t stops = (uint64_t)ss_string_stops16(p) | (uint64_t)ss_string_stops16(p + 16) << 16 |
                           (uint64_t)ss_string_stops16(p + 32) << 32 | (uint64_t)ss_string_stops16(p + 48) << 48;
    return stops & ~(slashes | quotes);
}

/* The loop, for each way to take bytes out. `TAKE(d, p, slashes)` writes the bytes of the 64 at p that are no
 * backslashes to d, and moves d behind them; it may write 64 in all. */
#define SS_UNQUOTE_LOOP(TAKE)                                                                        \
    for (;;) {                                                                                       \
        const uint64_t slashes = ss_equals64(p, '\\'), quotes = ss_equals64(p, '"');                 \
        uint64_t odd = quotes ^ slashes << 1;                                                        \
        if (SS_LIKELY(!(odd | (uint64_t)ss_has_control64(p)) && end - p > 64)) {                     \
            const size_t last = (size_t)(slashes >> 63);                                             \
            TAKE(d, p, slashes)                                                                      \
            p += 64;                                                                                 \
            if (last && *p != '"') {                                                                 \
                p--;                                                                                 \
                break;                                                                               \
            }                                                                                        \
            *d = '"'; /* behind a backslash that is the last of the block */                         \
            d += last;                                                                               \
            p += last;                                                                               \
        } else {                                                                                     \
            ss_byte* const begin = d;                                                                \
            size_t size = 64;                                                                        \
            odd |= ss_controls64(p, slashes, quotes);                                                \
            if (end - p < 64)                                                                        \
                odd |= (uint64_t)1 << (end - p);                                                     \
            if (odd)                                                                                 \
                size = (size_t)ss_ctz64(odd);                                                        \
            if (size && slashes >> (size - 1) & 1)                                                   \
                size--; /* the backslash of another escape */                                        \
            TAKE(d, p, slashes)                                                                      \
            d = begin + size - ss_count64(size < 64 ? slashes & (((uint64_t)1 << size) - 1) : slashes); \
            p += size;                                                                               \
            break;                                                                                   \
        }                                                                                            \
    }

#if defined(SS_SHUFFLE_ASKED)
#  define SS_TAKE8(block, table, at)                                                                             \
      _mm_storel_epi64((__m128i*)(void*)d,                                                                       \
                       _mm_shuffle_epi8(block, _mm_loadl_epi64((const __m128i*)(const void*)&table[slashes >> at & 255]))); \
      d += ss_kept_count[slashes >> at & 255];
#  define SS_TAKE(d, p, slashes)                                             \
      {                                                                      \
          const __m128i a = _mm_loadu_si128((const __m128i*)(const void*)p); \
          const __m128i b = _mm_loadu_si128((const __m128i*)(const void*)(p + 16)); \
          const __m128i c = _mm_loadu_si128((const __m128i*)(const void*)(p + 32)); \
          const __m128i e = _mm_loadu_si128((const __m128i*)(const void*)(p + 48)); \
          SS_TAKE8(a, ss_kept, 0)                                            \
          SS_TAKE8(a, ss_kept_upper, 8)                                      \
          SS_TAKE8(b, ss_kept, 16)                                           \
          SS_TAKE8(b, ss_kept_upper, 24)                                     \
          SS_TAKE8(c, ss_kept, 32)                                           \
          SS_TAKE8(c, ss_kept_upper, 40)                                     \
          SS_TAKE8(e, ss_kept, 48)                                           \
          SS_TAKE8(e, ss_kept_upper, 56)                                     \
      }
#elif defined(SS_SHUFFLE_ALWAYS)
#  define SS_TAKE(d, p, slashes)                                                            \
      {                                                                                     \
          int at;                                                                           \
          for (at = 0; at < 64; at += 8) {                                                  \
              vst1_u8(d, vtbl1_u8(vld1_u8(p + at), vcreate_u8(ss_kept[slashes >> at & 255]))); \
              d += ss_kept_count[slashes >> at & 255];                                      \
          }                                                                                 \
      }
#endif

#if defined(SS_SHUFFLE_ASKED)
SS_WITH_SSSE3
#endif
#if defined(SS_SHUFFLE_ASKED) || defined(SS_SHUFFLE_ALWAYS)
static SS_NOINLINE void ss_unquote_shuffled(const ss_byte** from, ss_byte** to, const ss_byte* end) {
    const ss_byte* p = *from;
    ss_byte* d = *to;
    SS_UNQUOTE_LOOP(SS_TAKE)
    *from = p;
    *to = d;
}
#endif

/* What stands between backslashes, piece by piece. */
#define SS_TAKE_PIECES(d, p, slashes)                 \
    {                                                 \
        uint64_t left = slashes;                      \
        int at = 0;                                   \
        for (; left; left &= left - 1) {              \
            const int next = ss_ctz64(left);          \
            memcpy(d, p + at, (size_t)(next - at));   \
            d += next - at;                           \
            at = next + 1;                            \
        }                                             \
        memcpy(d, p + at, (size_t)(64 - at));         \
        d += 64 - at;                                 \
    }

static SS_NOINLINE void ss_unquote_pieces(const ss_byte** from, ss_byte** to, const ss_byte* end) {
    const ss_byte* p = *from;
    ss_byte* d = *to;
    SS_UNQUOTE_LOOP(SS_TAKE_PIECES)
    *from = p;
    *to = d;
}

/* Writes the inside of a string from `*from` on to `*to`, up to the first byte that is neither plain nor part of a
 * quote behind a backslash: another escape (its backslash), the quote that ends the string, a control character; or to
 * `end`, or to a backslash right before it. Both are moved. Reads up to 64 bytes beyond `end`, which is not before
 * `*from`; at most 64 bytes more than counted are written. */
static inline void ss_unquote(const ss_byte** from, ss_byte** to, const ss_byte* end) {
#if defined(SS_SHUFFLE_ASKED) || defined(SS_SHUFFLE_ALWAYS)
    if (ss_has_shuffle) {
        ss_unquote_shuffled(from, to, end);
        return;
    }
#endif
    ss_unquote_pieces(from, to, end);
}

#endif
