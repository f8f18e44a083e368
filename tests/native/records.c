/* A program around unquote.h and structure.h, for test_record_primitives.py.
 *
 *     records SEED ROUNDS    both against loops byte by byte, with the shuffle and without; prints "ok"
 *
 * Each text lies at the end of memory of its own, with the 64 readable bytes behind it that are promised.
 */
#include "structure.h"
#include "unquote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 400

static uint64_t state;

static uint32_t chance(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static void fail(const char* what, const ss_byte* text, size_t size) {
    printf("failed: %s: %.*s\n", what, (int)size, (const char*)text);
    exit(1);
}

static size_t make(ss_byte* text, const char* parts[], uint32_t count) {
    size_t size = 0;
    uint32_t rounds = chance(60);
    while (rounds--) {
        const char* part = parts[chance(count)];
        const size_t length = strlen(part);
        if (size + length <= LONGEST) {
            memcpy(text + size, part, length);
            size += length;
        }
    }
    return size;
}

/* What was written is what was read without the backslashes of quotes, up to the first byte that is neither plain nor of
 * such a quote. `size` may divide an escape: then it stops before that. */
static void check_unquote(const ss_byte* text, size_t size) {
    ss_byte* out = malloc(size + 64); /* nothing is written beyond */
    const ss_byte* p = text;
    ss_byte* d = out;
    size_t at = 0, written = 0;
    ss_unquote(&p, &d, text + size);
    while (at < size && text[at] >= 0x20 && text[at] != '"') {
        if (text[at] == '\\') {
            if (at + 1 == size || text[at + 1] != '"')
                break;
            at++;
        }
        if (out + written >= d || out[written++] != text[at++])
            fail("another byte", text, size);
    }
    if (out + written != d || text + at != p)
        fail("another length", text, size);
    free(out);
}

static const ss_byte* end_by_bytes(const ss_byte* p, const ss_byte* end) {
    int inside = 0;
    long depth = 0;
    for (; p < end; p++) {
        if (inside) {
            if (*p == '\\')
                p++;
            else if (*p == '"')
                inside = 0;
        } else if (*p == '"') {
            inside = 1;
        } else if (*p == '{' || *p == '[') {
            depth++;
        } else if (*p == '}' || *p == ']') {
            if (--depth <= 0)
                return p + 1;
        } else if (*p == '\\') {
            p++; /* nonsense there; what follows is taken for escaped */
        }
    }
    return NULL;
}

/* Two texts that are the same up to a place, or throughout. */
static void check_same(const ss_byte* text, size_t size) {
    ss_byte* other = malloc(size + 64);
    size_t place = chance((uint32_t)size + 1), most = chance((uint32_t)size + 1);
    memcpy(other, text, size + 64);
    if (place < size)
        other[place] ^= 0x40;
    if (ss_same(text, other, most) != (place < most ? place : most))
        fail("not the same", text, size);
    free(other);
}

int main(int count, char** words) {
    const char* quoted[] = {"\\\"", "a", "bc", "\\\"x", "longer than a block of bytes", "\xc3\xa9", "\\\"\\\"",
                            "\\n", "\\\\", "\\u00e9", "\"", "\n"};
    const char* nested[] = {"{", "}", "[", "]", "\"", "\\\"", "\\\\", "x", "a longer piece", ",", "\"s\"", "{}",
                            "\"{\\\"}\"", "\n"};
    const ss_byte* end;
    int controls;
    long rounds;
    if (count != 3)
        return 2;
    state = strtoull(words[1], NULL, 10);
    ss_unquote_begin();
    for (rounds = strtol(words[2], NULL, 10); rounds > 0; rounds--) {
        ss_byte* memory = malloc(LONGEST + 1 + 64);
        size_t size = make(memory, quoted, rounds & 1 ? 7 : 12);
        ss_byte* text = malloc(size + 64);
        memcpy(text, memory, size);
        memset(text + size, 0, 64);
        check_unquote(text, size);
        check_unquote(text, chance((uint32_t)size + 1));
        check_same(text, size);
#if defined(SS_SHUFFLE_ASKED)
        if (ss_has_shuffle) {
            ss_has_shuffle = 0;
            check_unquote(text, size);
            ss_has_shuffle = 1;
        }
#endif
        free(text);
        memory[0] = '{';
        size = 1 + make(memory + 1, nested, rounds & 1 ? 13 : 14);
        text = malloc(size + 64);
        memcpy(text, memory, size);
        memset(text + size, '}', 64);
        end = end_by_bytes(text, text + size);
        if (ss_object_end(text, text + size, &controls) != end)
            fail("another end", text, size);
        if (!controls && memchr(text, '\n', end ? (size_t)(end - text) : size))
            fail("a line end that was not seen", text, size);
        free(text);
        free(memory);
    }
    puts("ok");
    return 0;
}
