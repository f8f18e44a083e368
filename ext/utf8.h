/* UTF-8: is it valid, and what to do when it is not.
 *
 * A character is one byte below 0x80, or a lead byte and one to three
 * continuation bytes, 0x80 to 0xBF:
 *
 *     lead         second byte     third       fourth
 *     C2 to DF     80 to BF
 *     E0           A0 to BF        80 to BF                less is overlong
 *     E1 to EF     80 to BF        80 to BF
 *       but ED     80 to 9F        80 to BF                more is a surrogate
 *     F0           90 to BF        80 to BF    80 to BF    less is overlong
 *     F1 to F3     80 to BF        80 to BF    80 to BF
 *     F4           80 to 8F        80 to BF    80 to BF    more is beyond 10FFFF
 *
 * Everything else is invalid. What is wrong is always a lead byte that cannot be
 * one, or a second byte that does not go with its lead, or a missing
 * continuation. The part that could still have become a character, or a single
 * byte if there is none, is what Unicode calls a maximal subpart. Python's
 * decoder puts one U+FFFD for each of these, and so do we.
 *
 * Most text in logs is ASCII, and for that one test of 64 bytes is enough. The
 * rest is checked in blocks of sixteen bytes, all bytes of a block at the same
 * time. Let v be a vector of sixteen bytes, and a, b, c the vectors one, two and
 * three bytes before, which we simply load. Then
 *
 *   - v has to be a continuation exactly where a >= C0, or b >= E0, or c >= F0.
 *     This one equation takes care of stray, missing and surplus continuations.
 *   - Where a is E0 or ED, v has to be in the proper half of the continuations.
 *   - C0 and C1 must not occur.
 *   - Where c is F0 or more, c and b have to go together. As such characters are
 *     rare, we look first whether there are any.
 *
 * That is some thirty instructions, whatever the text, and no branch depends on
 * it; a loop over characters would have to guess how long each one is. A block
 * may begin and end within a character: three bytes back is all it needs to see,
 * and they have been checked already. When a block is wrong, a loop over
 * characters finds out where.
 *
 * Nothing here reads outside of the text.
 */
#ifndef SS_UTF8_H
#define SS_UTF8_H

#include "vector.h"

/* The length of the character at p, or minus the length of the maximal subpart if
 * it is none. p < end. */
static inline int ss_utf8_step(const ss_byte* p, const ss_byte* end) {
    const size_t left = (size_t)(end - p);
    const ss_byte lead = p[0];
    if (lead < 0x80)
        return 1;
    if (lead < 0xC2 || lead > 0xF4 || left < 2)
        return -1;
    if ((p[1] & 0xC0) != 0x80)
        return -1;
    if (lead < 0xE0)
        return 2;
    if ((lead == 0xE0 && p[1] < 0xA0) || (lead == 0xED && p[1] > 0x9F) ||
        (lead == 0xF0 && p[1] < 0x90) || (lead == 0xF4 && p[1] > 0x8F))
        return -1;
    if (left < 3 || (p[2] & 0xC0) != 0x80)
        return -2;
    if (lead < 0xF0)
        return 3;
    if (left < 4 || (p[3] & 0xC0) != 0x80)
        return -3;
    return 4;
}

/* Are these 64 bytes ASCII? Reads p[0..64). */
static inline int ss_ascii64(const ss_byte* p) {
#if defined(SS_SSE2)
    const __m128i a = _mm_loadu_si128((const __m128i*)(const void*)p);
    const __m128i b = _mm_loadu_si128((const __m128i*)(const void*)(p + 16));
    const __m128i c = _mm_loadu_si128((const __m128i*)(const void*)(p + 32));
    const __m128i d = _mm_loadu_si128((const __m128i*)(const void*)(p + 48));
    return _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(a, b), _mm_or_si128(c, d))) == 0;
#elif defined(SS_NEON)
    const uint8x16_t a = vorrq_u8(vld1q_u8(p), vld1q_u8(p + 16));
    const uint8x16_t b = vorrq_u8(vld1q_u8(p + 32), vld1q_u8(p + 48));
    return vmaxvq_u8(vorrq_u8(a, b)) < 0x80;
#else
    uint64_t all = 0;
    int i;
    for (i = 0; i < 64; i += 8)
        all |= ss_load64(p + i);
    return (all & SS_EACH8(0x80)) == 0;
#endif
}

/* Is something wrong in these sixteen bytes? The three before them belong to the
 * text, too. A character that is not complete at the end is not wrong yet. Reads
 * p[-3..16). */
#if defined(SS_SSE2)
static inline int ss_utf8_wrong16(const ss_byte* p) {
#  define SS_LOAD(at) _mm_loadu_si128((const __m128i*)(const void*)(at))
#  define SS_SET(byte) _mm_set1_epi8((char)(byte))
    const __m128i zero = _mm_setzero_si128();
    const __m128i v = SS_LOAD(p), a = SS_LOAD(p - 1), b = SS_LOAD(p - 2), c = SS_LOAD(p - 3);

    /* Bytes compare as signed, so that 0x80 to 0xBF are the smallest. */
    const __m128i continuation = _mm_cmpgt_epi8(SS_SET(0xC0), v);
    const __m128i long4 = _mm_subs_epu8(c, SS_SET(0xEF));
    const __m128i due = _mm_or_si128(
        _mm_or_si128(_mm_subs_epu8(a, SS_SET(0xBF)), _mm_subs_epu8(b, SS_SET(0xDF))), long4);
    __m128i wrong = _mm_cmpeq_epi8(_mm_cmpeq_epi8(due, zero), continuation);

    const __m128i lower = _mm_cmpgt_epi8(SS_SET(0xA0), v);
    wrong = _mm_or_si128(wrong, _mm_and_si128(_mm_cmpeq_epi8(a, SS_SET(0xE0)), lower));
    wrong = _mm_or_si128(wrong, _mm_andnot_si128(lower, _mm_cmpeq_epi8(a, SS_SET(0xED))));
    wrong = _mm_or_si128(wrong, _mm_cmpeq_epi8(_mm_and_si128(v, SS_SET(0xFE)), SS_SET(0xC0)));

    if (_mm_movemask_epi8(_mm_cmpeq_epi8(long4, zero)) != 0xFFFF) {
        const __m128i low = _mm_cmpgt_epi8(SS_SET(0x90), b);
        const __m128i beyond = _mm_subs_epu8(c, SS_SET(0xF4));
        wrong = _mm_or_si128(wrong, _mm_and_si128(_mm_cmpeq_epi8(c, SS_SET(0xF0)), low));
        wrong = _mm_or_si128(wrong, _mm_andnot_si128(low, _mm_cmpeq_epi8(c, SS_SET(0xF4))));
        wrong = _mm_or_si128(wrong, _mm_cmpgt_epi8(beyond, zero));
    }
    return _mm_movemask_epi8(wrong) != 0;
#  undef SS_LOAD
#  undef SS_SET
}
#elif defined(SS_NEON)
static inline int ss_utf8_wrong16(const ss_byte* p) {
#  define SS_SET(byte) vdupq_n_u8(byte)
    const uint8x16_t v = vld1q_u8(p), a = vld1q_u8(p - 1), b = vld1q_u8(p - 2), c = vld1q_u8(p - 3);

    const uint8x16_t continuation = vceqq_u8(vandq_u8(v, SS_SET(0xC0)), SS_SET(0x80));
    const uint8x16_t long4 = vcgeq_u8(c, SS_SET(0xF0));
    const uint8x16_t due =
        vorrq_u8(vorrq_u8(vcgeq_u8(a, SS_SET(0xC0)), vcgeq_u8(b, SS_SET(0xE0))), long4);
    uint8x16_t wrong = veorq_u8(due, continuation);

    const uint8x16_t lower = vcltq_u8(v, SS_SET(0xA0));
    wrong = vorrq_u8(wrong, vandq_u8(vceqq_u8(a, SS_SET(0xE0)), lower));
    wrong = vorrq_u8(wrong, vbicq_u8(vceqq_u8(a, SS_SET(0xED)), lower));
    wrong = vorrq_u8(wrong, vceqq_u8(vandq_u8(v, SS_SET(0xFE)), SS_SET(0xC0)));

    if (vmaxvq_u8(long4)) {
        const uint8x16_t low = vcltq_u8(b, SS_SET(0x90));
        wrong = vorrq_u8(wrong, vandq_u8(vceqq_u8(c, SS_SET(0xF0)), low));
        wrong = vorrq_u8(wrong, vbicq_u8(vceqq_u8(c, SS_SET(0xF4)), low));
        wrong = vorrq_u8(wrong, vcgtq_u8(c, SS_SET(0xF4)));
    }
    return vmaxvq_u8(wrong) != 0;
#  undef SS_SET
}
#endif

/* The first byte of what is not valid UTF-8 in [p, end): a lead that cannot be
 * one, or whose character is not complete, or a continuation without a lead. That
 * is where Python's strict decoder says the error starts. NULL if all is valid. */
static inline const ss_byte* ss_utf8_error(const ss_byte* p, const ss_byte* end) {
#if !defined(SS_PLAIN)
    const ss_byte* const begin = p;
#endif
    for (;;) {
        /* Here p is where a character begins. */
        while (end - p >= 64 && ss_ascii64(p))
            p += 64;
        while (end - p >= 8 && (ss_load64(p) & SS_EACH8(0x80)) == 0)
            p += 8;
#if !defined(SS_PLAIN)
        if (p - begin >= 3 && end - p >= 16) {
            int wrong = 0, high = 1;
            do {
                wrong = ss_utf8_wrong16(p);
                if (SS_UNLIKELY(wrong))
                    break;
                high = ss_high16(p) != 0;
                p += 16;
            } while (high && end - p >= 16);
            if (!wrong && !high)
                continue;
            if (p[-1] >= 0xC0)
                p -= 1;
            else if (p[-2] >= 0xE0)
                p -= 2;
            else if (p[-3] >= 0xF0)
                p -= 3;
        }
#endif
        /* Either there is little left, or too little before, or something is wrong.
         * Sixteen bytes are enough to see that, and to have three before. */
        {
            const ss_byte* const some = end - p > 16 ? p + 16 : end;
            while (p < some) {
                const int length = ss_utf8_step(p, end);
                if (length < 0)
                    return p;
                p += length;
            }
        }
        if (p == end)
            return NULL;
    }
}

/* Copies [p, end) to out, with one U+FFFD for each maximal subpart that is invalid,
 * as bytes.decode("utf-8", "replace") does. Returns the length. out must have room
 * for three times the length of the text, and must not overlap it. */
static inline size_t ss_utf8_repair(const ss_byte* p, const ss_byte* end, ss_byte* out) {
    ss_byte* const start = out;
    while (p != end) {
        const ss_byte* error = ss_utf8_error(p, end);
        const size_t valid = (size_t)((error ? error : end) - p);
        memcpy(out, p, valid);
        out += valid;
        p += valid;
        if (error) {
            memcpy(out, "\xEF\xBF\xBD", 3);
            out += 3;
            p -= ss_utf8_step(p, end);
        }
    }
    return (size_t)(out - start);
}

/* How many pairs ss_utf8_join would join: each makes the text two bytes shorter. */
static inline size_t ss_utf8_pairs(const ss_byte* p, size_t n) {
    size_t i = 0, pairs = 0;
    while (i + 6 <= n) {
        const int pair = p[i] == 0xED && (p[i + 1] & 0xF0) == 0xA0 && p[i + 3] == 0xED && p[i + 4] >= 0xB0;
        pairs += (size_t)pair;
        i += pair ? 6 : 1;
    }
    return pairs;
}

/* JSON can escape half a character: "\ud83d" without the "\ude00" that should come
 * next. The n bytes at p are UTF-8 except that such surrogates, paired or not, are
 * there as three bytes each, ED A0..BF xx. Copies them to out, which may be p, with
 * each pair made a character of four bytes and each other surrogate a U+FFFD.
 * Returns the length, which is n or less. */
static inline size_t ss_utf8_join(const ss_byte* p, size_t n, ss_byte* out) {
    const ss_byte* const end = p + n;
    ss_byte* const start = out;
    while (p != end) {
        const ss_byte* next = p;
        size_t plain;
        /* U+D000 to U+D7FF begin with ED, too: a part of the Korean syllables. */
        do {
            next = (const ss_byte*)memchr(next, 0xED, (size_t)(end - next));
            if (next && end - next >= 3 && next[1] >= 0xA0)
                break;
        } while (next && ++next != end);
        if (next == NULL)
            next = end;
        plain = (size_t)(next - p);
        if (out != p)
            memmove(out, p, plain);
        out += plain;
        p = next;
        if (p == end)
            break;

        if (p[1] < 0xB0 && end - p >= 6 && p[3] == 0xED && p[4] >= 0xB0) {
            /* 1101 10hh hhhh hhhh and 1101 11ll llll llll, in three bytes each, where
             * the ten bits h are those of the character less 0x10000. */
            const uint32_t high = (uint32_t)(p[1] & 0x0F) << 6 | (p[2] & 0x3F);
            const uint32_t low = (uint32_t)(p[4] & 0x0F) << 6 | (p[5] & 0x3F);
            const uint32_t c = 0x10000 + (high << 10 | low);
            out[0] = (ss_byte)(0xF0 | c >> 18);
            out[1] = (ss_byte)(0x80 | (c >> 12 & 0x3F));
            out[2] = (ss_byte)(0x80 | (c >> 6 & 0x3F));
            out[3] = (ss_byte)(0x80 | (c & 0x3F));
            out += 4;
            p += 6;
        }
        else {
            memcpy(out, "\xEF\xBF\xBD", 3);
            out += 3;
            p += 3;
        }
    }
    return (size_t)(out - start);
}

#endif
