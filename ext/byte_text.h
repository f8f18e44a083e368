/* The spelling of byte values in a JSON list: compare instead of convert.
 *
 * Logs carry the bytes of each token as a list of numbers, and nearly always
 * they are the UTF-8 of the token's own text. So the list is not read: what it
 * must look like is known from the text, byte by byte, from a table that holds
 * "0," to "255,". Any difference is left to who called, to read it properly.
 */
#ifndef SS_BYTE_TEXT_H
#define SS_BYTE_TEXT_H

#include "portable.h"

/* How a byte is spelled behind another: a comma, then its digits. */
typedef struct {
    ss_byte text[4];
    ss_byte mask[4]; /* 255 for each byte of text that counts */
} ss_byte_spelling;

/* UTF-8 has no byte 255, so that it can stand for no byte at all, which is spelled with nothing. */
#define SS_NO_BYTE 255

static ss_byte_spelling ss_byte_spellings[256];
static ss_byte ss_byte_spelling_sizes[256];

/* Fills the tables; called once, when the module is loaded. */
static inline void ss_byte_text_begin(void) {
    int value;
    for (value = 0; value < SS_NO_BYTE; value++) {
        ss_byte_spelling* const s = &ss_byte_spellings[value];
        ss_byte n = 0;
        s->text[n++] = ',';
        if (value >= 100)
            s->text[n++] = (ss_byte)('0' + value / 100);
        if (value >= 10)
            s->text[n++] = (ss_byte)('0' + value / 10 % 10);
        s->text[n++] = (ss_byte)('0' + value % 10);
        memset(s->mask, 255, n);
        ss_byte_spelling_sizes[value] = n;
    }
}

static inline uint32_t ss_load32(const ss_byte* p) {
    uint32_t x;
    memcpy(&x, p, 4);
    return x;
}

/* Zero if a byte is spelled at p, with ``lead`` in place of the comma. Reads p[0..4). */
static inline uint32_t ss_misspelled(const ss_byte* p, ss_byte value, ss_byte lead) {
    const ss_byte_spelling* const s = &ss_byte_spellings[value];
    const ss_byte other[4] = {(ss_byte)(lead ^ ','), 0, 0, 0};
    return (ss_load32(p) ^ ss_load32(other) ^ ss_load32(s->text)) & ss_load32(s->mask);
}

/* Do the numbers behind the bracket p[-1] spell the bytes [text, end) of some UTF-8, between them a comma and, when
 * spaced, a blank, and a bracket behind? Returns the bracket, or NULL.
 *
 * Up to eight bytes, which is what nearly all tokens have, are compared without a branch: no processor could guess
 * when the loop ends. Reads text[0..8), and p up to 34 bytes beyond the first difference. */
static inline const ss_byte* ss_byte_text_match(const ss_byte* p, const ss_byte* text, const ss_byte* end,
                                                int spaced) {
    const size_t n = (size_t)(end - text);
    const ss_byte lead = spaced ? ' ' : ',';
    uint32_t wrong;
    if (n == 0)
        return *p == ']' ? p : NULL;
    wrong = ss_misspelled(p - 1, *text, '[');
    p += ss_byte_spelling_sizes[*text] - 1;
    if (n <= 8 && !spaced) {
        const uint64_t bytes = ss_load64(text) | UINT64_MAX << 1 << (8 * n - 1);
        int i;
        for (i = 1; i < 8; i++) {
            const ss_byte value = (ss_byte)(bytes >> 8 * i);
            wrong |= ss_misspelled(p, value, ',');
            p += ss_byte_spelling_sizes[value];
        }
        return wrong == 0 && *p == ']' ? p : NULL;
    }
    for (text++; text < end && !wrong; text++) {
        if (spaced && *p++ != ',')
            return NULL;
        wrong = ss_misspelled(p, *text, lead);
        p += ss_byte_spelling_sizes[*text];
    }
    return wrong == 0 && *p == ']' ? p : NULL;
}

#endif
