/* Where a JSON object ends, by its brackets and strings alone.
 *
 * 64 bytes at a time: bits of the quotes that begin or end a string become bits
 * of the bytes inside of strings (each is the parity of the quotes up to it);
 * brackets outside of strings are counted, and only in the block in which the
 * count may come to nothing are they looked at one by one. What stands between
 * is not checked.
 */
#ifndef SSIFT_STRUCTURE_H
#define SSIFT_STRUCTURE_H

#include "vector.h"

static inline uint64_t ss_equals64(const ss_byte* p, int c) {
    return (uint64_t)ss_equals16(p, c) | (uint64_t)ss_equals16(p + 16, c) << 16 |
           (uint64_t)ss_equals16(p + 32, c) << 32 | (uint64_t)ss_equals16(p + 48, c) << 48;
}

/* '{' and '[', or '}' and ']': they differ in one bit, which no other byte differs from them in. */
static inline uint64_t ss_brackets64(const ss_byte* p, int brace) {
    return (uint64_t)ss_either16(p, brace) | (uint64_t)ss_either16(p + 16, brace) << 16 |
           (uint64_t)ss_either16(p + 32, brace) << 32 | (uint64_t)ss_either16(p + 48, brace) << 48;
}

/* How many bytes at `a` and `b` are the same, of `size` at most; 16 more can be read behind both. */
static inline size_t ss_same(const ss_byte* a, const ss_byte* b, size_t size) {
    size_t i = 0;
    while (size - i >= 64 && ss_same64(a + i, b + i))
        i += 64;
    while (i < size) {
        const uint32_t other = ss_matches16(a + i, b + i) ^ 0xFFFF;
        if (other) {
            i += (size_t)ss_ctz32(other);
            return i < size ? i : size;
        }
        i += 16;
    }
    return size;
}

/* The bytes behind a backslash that counts; `carry` is 1 when the block begins
 * with one, and is handed on. */
static inline uint64_t ss_escaped64(uint64_t slashes, uint64_t* carry) {
    uint64_t escaped = slashes << 1 | *carry, i = *carry;
    if (!(slashes & escaped)) { /* no slash behind another */
        *carry = slashes >> 63;
        return escaped;
    }
    escaped = 0;
    *carry = 0;
    if (i) {
        escaped = 1;
        slashes &= ~(uint64_t)1;
    }
    while (slashes) {
        const int at = ss_ctz64(slashes);
        slashes &= slashes - 1;
        if (at == 63) {
            *carry = 1;
            break;
        }
        escaped |= (uint64_t)2 << at;
        slashes &= ~((uint64_t)2 << at);
    }
    return escaped;
}

/* Behind the object (or list) that begins at `p`, NULL when it does not end
 * before `end`; 64 bytes behind that can be read. `controls` tells whether it
 * may hold control characters, line ends among them. */
SS_WIDEST static SS_NOINLINE const ss_byte* ss_object_end(const ss_byte* p, const ss_byte* end, int* controls) {
    uint64_t carry = 0, inside = 0; /* inside: all ones within a string */
    int64_t depth = 0;
    *controls = 0;
    while (p < end) {
        const uint64_t slashes = ss_equals64(p, '\\');
        uint64_t quotes = ss_equals64(p, '"');
        uint64_t opens = ss_brackets64(p, '{');
        uint64_t closes = ss_brackets64(p, '}');
        *controls |= ss_has_control64(p);
        if (slashes | carry)
            quotes &= ~ss_escaped64(slashes, &carry);
        quotes ^= quotes << 1;
        quotes ^= quotes << 2;
        quotes ^= quotes << 4;
        quotes ^= quotes << 8;
        quotes ^= quotes << 16;
        quotes ^= quotes << 32;
        quotes ^= inside;
        inside = quotes >> 63 ? ~(uint64_t)0 : 0;
        opens &= ~quotes;
        closes &= ~quotes;
        if (depth > ss_count64(closes)) {
            depth += ss_count64(opens) - ss_count64(closes);
        } else {
            uint64_t brackets = opens | closes;
            for (; brackets; brackets &= brackets - 1) {
                const int at = ss_ctz64(brackets);
                depth += opens >> at & 1 ? 1 : -1;
                if (depth <= 0)
                    return p + at < end ? p + at + 1 : NULL;
            }
        }
        p += 64;
    }
    return NULL;
}

#endif
