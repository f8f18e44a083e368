/* JSON inside of a JSON string: every quote stands behind a backslash, one in
 * six or seven bytes. Where a block of 16 bytes has no other escape, taking the
 * backslashes out is one shuffle for each half of it, by a table. The shuffle
 * is not in the least of x86-64 processors: it is asked for once.
 */
#ifndef SSIFT_UNQUOTE_H
#define SSIFT_UNQUOTE_H

#include "vector.h"

#if defined(SS_CAN_ASK_FOR_SSSE3)
#  define SS_SHUFFLE_ASKED 1
#elif defined(SS_NEON)
#  define SS_SHUFFLE_ALWAYS 1
#endif

static uint64_t ss_kept[256];     /* of a half whose bits are backslashes: the places of the bytes that stay */
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

#if defined(SS_SHUFFLE_ASKED)
SS_WITH_SSSE3
#endif
#if defined(SS_SHUFFLE_ASKED) || defined(SS_SHUFFLE_ALWAYS)
static SS_NOINLINE void ss_unquote_blocks(const ss_byte** from, ss_byte** to, const ss_byte* end) {
    const ss_byte* p = *from;
    ss_byte* d = *to;
    while (end - p >= 17) {
        const uint32_t slashes = ss_equals16(p, '\\');
        const uint32_t low = slashes & 0xFF, high = slashes >> 8;
        if (!ss_only_quotes(p, ss_string_stops16(p), slashes))
            break;
#  if defined(SS_SHUFFLE_ASKED)
        const __m128i text = _mm_loadu_si128((const __m128i*)p);
        const __m128i upper = _mm_add_epi8(_mm_loadl_epi64((const __m128i*)&ss_kept[high]), _mm_set1_epi8(8));
        _mm_storel_epi64((__m128i*)d, _mm_shuffle_epi8(text, _mm_loadl_epi64((const __m128i*)&ss_kept[low])));
        d += ss_kept_count[low];
        _mm_storel_epi64((__m128i*)d, _mm_shuffle_epi8(text, upper));
#  else
        vst1_u8(d, vtbl1_u8(vld1_u8(p), vcreate_u8(ss_kept[low])));
        d += ss_kept_count[low];
        vst1_u8(d, vtbl1_u8(vld1_u8(p + 8), vcreate_u8(ss_kept[high])));
#  endif
        d += ss_kept_count[high];
        *d = '"'; /* behind a backslash that is the last of the block */
        d += slashes >> 15;
        p += 16 + (slashes >> 15);
    }
    *from = p;
    *to = d;
}
#endif

/* Writes the inside of a string from `*from` on to `*to`, as long as it has no
 * escapes but quotes; not to `end`. Both are moved. At most 8 bytes more than
 * counted are written. */
static inline void ss_unquote(const ss_byte** from, ss_byte** to, const ss_byte* end) {
#if defined(SS_SHUFFLE_ASKED) || defined(SS_SHUFFLE_ALWAYS)
    if (ss_has_shuffle) {
        ss_unquote_blocks(from, to, end);
        return;
    }
#endif
    while (end - *from >= 17) {
        uint32_t slashes = ss_equals16(*from, '\\');
        const uint32_t last = slashes >> 15;
        if (!ss_only_quotes(*from, ss_string_stops16(*from), slashes))
            return;
        ss_copy16(*to, *from);
        for (; slashes; slashes &= slashes - 1) {
            const int at = ss_ctz32(slashes);
            ss_copy16(*to + at, *from + at + 1); /* what follows moves down by one */
            --*to;
        }
        *from += 16 + last;
        *to += 16 + last;
    }
}

#endif
