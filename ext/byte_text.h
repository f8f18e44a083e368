/* The spelling of byte values in a JSON list: compare instead of convert.
 *
 * Logs carry the bytes of each token as a list of numbers, and nearly always
 * they are the UTF-8 of the token's own text. So the list is not read: what it
 * must look like is known from the text, byte by byte, from a table that holds
 * "0," to "255,". Any difference is left to who called, to read it properly.
 */
#ifndef SS_BYTE_TEXT_H
#define SS_BYTE_TEXT_H

#include <stdint.h>
#include <string.h>

#include "vector.h"

typedef struct {
    ss_byte text[4]; /* digits, then a comma, then zeros */
    ss_byte mask[4]; /* 255 for each byte of text that counts */
    ss_byte digits_mask[4];
    uint32_t size;   /* digits and comma */
} ss_byte_spelling;

static ss_byte_spelling ss_byte_spellings[256];

/* Fills the table; called once, when the module is loaded. */
static inline void ss_byte_text_begin(void) {
    int value;
    for (value = 0; value < 256; value++) {
        ss_byte_spelling* s = &ss_byte_spellings[value];
        uint32_t n = 0;
        if (value >= 100)
            s->text[n++] = (ss_byte)('0' + value / 100);
        if (value >= 10)
            s->text[n++] = (ss_byte)('0' + value / 10 % 10);
        s->text[n++] = (ss_byte)('0' + value % 10);
        memset(s->digits_mask, 255, n);
        s->text[n++] = ',';
        memset(s->mask, 255, n);
        s->size = n;
    }
}

static inline uint32_t ss_load32(const ss_byte* p) {
    uint32_t x;
    memcpy(&x, p, 4);
    return x;
}

/* Do the numbers at p spell the bytes [text, end), between them a comma and,
 * when spaced, a blank, and a bracket behind? Returns the bracket, or NULL.
 * Reads up to 4 bytes beyond the first difference. */
static inline const ss_byte* ss_byte_text_match(const ss_byte* p, const ss_byte* text, const ss_byte* end,
                                                int spaced) {
    const ss_byte_spelling* s;
    if (text == end)
        return *p == ']' ? p : NULL;
    for (; text + 1 < end; text++) {
        s = &ss_byte_spellings[*text];
        if ((ss_load32(p) ^ ss_load32(s->text)) & ss_load32(s->mask))
            return NULL;
        p += s->size + (uint32_t)spaced;
        if (spaced && p[-1] != ' ')
            return NULL;
    }
    s = &ss_byte_spellings[*text];
    if ((ss_load32(p) ^ ss_load32(s->text)) & ss_load32(s->digits_mask))
        return NULL;
    p += s->size - 1;
    return *p == ']' ? p : NULL;
}

#endif
