/* Mutations that know what an input is made of: lines of an event stream, and JSON in them.
 *
 * An input is scanned once for its JSON values, as spans; a mutation replaces, copies, moves or drops one, or a line, or
 * puts in a word (words.h: what servers write, and what is like it). The rest is left to libFuzzer, which knows bytes.
 * Nothing here has to be right about JSON: what comes out may be no JSON at all. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "words.h"

enum { HEADER = 4, SPANS = 4096, NESTING = 256, ROOM = 1 << 17 };

typedef struct {
    size_t start, end;
    char kind; /* its first byte; 'k': a string that is a key */
} Span;

typedef struct {
    uint8_t *data;
    size_t size, room;
    uint32_t random;
} Input;

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t room, unsigned int seed);

static uint32_t below(uint32_t *state, uint32_t n) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return n ? *state % n : 0;
}

/* ---- finding */

static size_t find_values(const uint8_t *data, size_t size, Span *spans) {
    size_t count = 0, depth = 0, open[NESTING], at = 0;
    while (at < size && count < SPANS) {
        uint8_t c = data[at];
        size_t start = at++;
        if (c == '"') {
            while (at < size && data[at] != '"' && data[at] != '\n')
                at += data[at] == '\\' && at + 1 < size ? 2 : 1;
            at += at < size && data[at] == '"';
            size_t next = at;
            while (next < size && (data[next] == ' ' || data[next] == '\t'))
                next++;
            spans[count++] = (Span){start, at, next < size && data[next] == ':' ? 'k' : '"'};
        } else if (c == '{' || c == '[') {
            if (depth < NESTING)
                open[depth++] = count;
            spans[count++] = (Span){start, size, (char)c};
        } else if ((c == '}' || c == ']') && depth) {
            spans[open[--depth]].end = at;
        } else if (c == '-' || (c >= '0' && c <= '9') || c == 't' || c == 'f' || c == 'n' || c == 'N' || c == 'I') {
            while (at < size && (data[at] == '.' || data[at] == '-' || data[at] == '+' || (data[at] >= '0' && data[at] <= '9') ||
                                 ((data[at] | 32) >= 'a' && (data[at] | 32) <= 'z')))
                at++;
            spans[count++] = (Span){start, at, (char)c};
        }
    }
    return count;
}

/* A line with its end, by a place in it. */
static Span line_at(const uint8_t *data, size_t size, size_t place) {
    Span line = {place, place, 'l'};
    while (line.start > HEADER && data[line.start - 1] != '\n')
        line.start--;
    while (line.end < size && data[line.end] != '\n')
        line.end++;
    line.end += line.end < size;
    return line;
}

/* ---- changing */

static void replace(Input *in, size_t start, size_t end, const void *with, size_t n) {
    if (start > end || end > in->size || in->size - (end - start) + n > in->room)
        return;
    memmove(in->data + start + n, in->data + end, in->size - end);
    memcpy(in->data + start, with, n);
    in->size += n - (end - start);
}

static uint8_t kept[ROOM];

/* Copy a span over another, from the same input. */
static void copy_over(Input *in, Span from, size_t start, size_t end) {
    size_t n = from.end - from.start;
    if (n > ROOM)
        return;
    memcpy(kept, in->data + from.start, n);
    replace(in, start, end, kept, n);
}

static Word word(Input *in, int kind) {
    return WORDS[kind].words[below(&in->random, WORDS[kind].count)];
}

static Word word_like(Input *in, char kind) {
    if (below(&in->random, 4) == 0)
        return word(in, (int)below(&in->random, KINDS));
    switch (kind) {
    case 'k': return word(in, KEY);
    case '"': return word(in, STRING);
    case '{': return word(in, OBJECT);
    case '[': return word(in, LIST);
    default: return word(in, below(&in->random, 3) ? NUMBER : LITERAL);
    }
}

/* The member or element that holds a value, with its comma. */
static Span with_comma(const Input *in, Span span) {
    while (span.start > HEADER && in->data[span.start - 1] != ',' && in->data[span.start - 1] != '{' &&
           in->data[span.start - 1] != '[' && in->data[span.start - 1] != '\n')
        span.start--;
    if (span.end < in->size && in->data[span.end] == ',')
        span.end++;
    else if (span.start > HEADER && in->data[span.start - 1] == ',')
        span.start--;
    return span;
}

static void double_member(Input *in, Span span) {
    Span whole = with_comma(in, span);
    size_t n = whole.end - whole.start;
    if (n + 1 > ROOM)
        return;
    memcpy(kept, in->data + whole.start, n);
    if (n && kept[n - 1] != ',' && kept[0] != ',')
        kept[n++] = ',';
    replace(in, whole.start, whole.start, kept, n);
}

static void add_member(Input *in, Span span) {
    Word key = word(in, KEY), value = word(in, (int)below(&in->random, KINDS));
    size_t n = 0;
    if (span.kind == '{') {
        memcpy(kept, key.text, key.size);
        kept[key.size] = ':';
        n = key.size + 1;
    }
    memcpy(kept + n, value.text, value.size);
    n += value.size;
    if (span.start + 1 < in->size && in->data[span.start + 1] != '}' && in->data[span.start + 1] != ']')
        kept[n++] = ',';
    replace(in, span.start + 1, span.start + 1, kept, n);
}

/* One byte of a value: a digit, an escape, a character cut in two. */
static void touch(Input *in, Span span) {
    static const char TELLING[] = "0123456789-+.eE\"\\/u{}[],: \t\r\n\0\x80\xc3\xe2\xed\xf0\xff";
    size_t at = span.start + below(&in->random, (uint32_t)(span.end - span.start));
    char c = TELLING[below(&in->random, sizeof TELLING - 1)];
    if (below(&in->random, 2))
        replace(in, at, at + 1, &c, 1);
    else
        replace(in, at, at, &c, 1);
}

static void mutate_value(Input *in, const Span *spans, size_t count) {
    Span span = spans[below(&in->random, (uint32_t)count)], other = spans[below(&in->random, (uint32_t)count)];
    size_t at;
    Word like;
    switch (below(&in->random, 9)) {
    case 0:
    case 1:
        like = word_like(in, span.kind);
        replace(in, span.start, span.end, like.text, like.size);
        break;
    case 2: copy_over(in, other, span.start, span.end); break;
    case 3: double_member(in, span); break;
    case 4:
        span = with_comma(in, span);
        replace(in, span.start, span.end, "", 0);
        break;
    case 5:
        if (span.kind == '{' || span.kind == '[')
            add_member(in, span);
        else
            touch(in, span);
        break;
    case 6:
        like = word(in, BLANK);
        at = below(&in->random, 2) ? span.start : span.end;
        replace(in, at, at, like.text, like.size);
        break;
    default: touch(in, span); break;
    }
}

static void mutate_line(Input *in) {
    uint32_t length = (uint32_t)(in->size - HEADER);
    Span line = line_at(in->data, in->size, HEADER + below(&in->random, length + 1));
    Span other = line_at(in->data, in->size, HEADER + below(&in->random, length + 1));
    Word put;
    switch (below(&in->random, 6)) {
    case 0: copy_over(in, other, line.start, line.start); break;
    case 1: copy_over(in, other, line.start, line.end); break;
    case 2: replace(in, line.start, line.end, "", 0); break;
    case 3:
    case 4:
        put = word(in, LINE);
        replace(in, line.start, line.start, put.text, put.size);
        break;
    default:
        if (line.end > line.start) {
            put = word(in, LINE_END);
            replace(in, line.end - 1, line.end, put.text, put.size);
        }
        break;
    }
}

static void truncate_at(Input *in) {
    in->size = HEADER + below(&in->random, (uint32_t)(in->size - HEADER) + 1);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed) {
    static Span spans[SPANS];
    Input in = {data, size, max_size, seed | 1};
    below(&in.random, 2);
    if (size < HEADER || below(&in.random, 4) == 0)
        return LLVMFuzzerMutate(data, size, max_size);
    for (uint32_t turns = 1 + below(&in.random, 3); turns; turns--) {
        size_t count = find_values(in.data + HEADER, in.size - HEADER, spans);
        for (size_t i = 0; i < count; i++) {
            spans[i].start += HEADER;
            spans[i].end += HEADER;
        }
        uint32_t what = below(&in.random, 16);
        if (what == 0)
            in.data[below(&in.random, HEADER)] = (uint8_t)below(&in.random, 256);
        else if (what == 1 && below(&in.random, 4) == 0)
            truncate_at(&in);
        else if (count && what < 11)
            mutate_value(&in, spans, count);
        else
            mutate_line(&in);
    }
    return in.size;
}

/* The first lines of one input and the last ones of another; or a value of one in the place of a value of the other. */
size_t LLVMFuzzerCustomCrossOver(const uint8_t *one, size_t one_size, const uint8_t *other, size_t other_size,
                                 uint8_t *out, size_t room, unsigned int seed) {
    static Span ones[SPANS], others[SPANS];
    Input in = {out, one_size, room, seed | 1};
    if (one_size < HEADER || other_size < HEADER || one_size > room)
        return 0;
    memcpy(out, one, one_size);
    size_t count = find_values(one, one_size, ones), other_count = find_values(other, other_size, others);
    if (count && other_count && below(&in.random, 2)) {
        Span to = ones[below(&in.random, (uint32_t)count)], from = others[below(&in.random, (uint32_t)other_count)];
        if (to.start >= HEADER)
            replace(&in, to.start, to.end, other + from.start, from.end - from.start);
    } else {
        Span to = line_at(one, one_size, HEADER + below(&in.random, (uint32_t)(one_size - HEADER) + 1));
        Span from = line_at(other, other_size, HEADER + below(&in.random, (uint32_t)(other_size - HEADER) + 1));
        replace(&in, to.start, below(&in.random, 2) ? one_size : to.start, other + from.start, other_size - from.start);
    }
    return in.size;
}
