/* A program around the primitives of ext/, for test_primitives.py and by hand.
 *
 *     primitives vector SEED ROUNDS    vector.h against plain loops; prints "ok"
 *     primitives numbers < TEXTS       a record per text, see numbers()
 *     primitives utf8 < TEXTS          a record per text, see utf8()
 *     primitives join < TEXTS          a record per text, see join()
 *     primitives strtod SEED ROUNDS    random texts against the C library's strtod
 *     primitives speed                 nanoseconds per number
 *
 * TEXTS are length (32 bits) and bytes, one after the other; records have the byte
 * order of the machine.
 *
 * Where the system can protect pages, each text is put before a page that cannot
 * be read, at the distance that the header promises, and once more after such a
 * page. Around the text are digits, so that a number that is read too far shows.
 */
#include "decimal.h"
#include "utf8.h"
#include "vector.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#if defined(__unix__) || defined(__APPLE__)
#  define GUARDED 1
#  include <sys/mman.h>
#  include <unistd.h>
#elif defined(_WIN32)
#  include <fcntl.h>
#  include <io.h>
#endif

static void fail(const char* what) {
    printf("failed: %s\n", what);
    exit(1);
}

static void check(int good, const char* what) {
    if (!good)
        fail(what);
}

static uint64_t seed = 1;

static uint64_t any(void) {
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * 0x2545F4914F6CDD1Du;
}

static size_t below(size_t n) { return (size_t)(any() % n); }

/* -- memory with an end ------------------------------------------------------- */

/* [start, end) can be used, the bytes before and after cannot be read. */
typedef struct {
    ss_byte *start, *end;
    size_t size;
} arena;

static void grow(arena* a, size_t size) {
    if (size <= a->size)
        return;
#if defined(GUARDED)
    {
        const size_t page = (size_t)sysconf(_SC_PAGESIZE);
        ss_byte* p;
        if (a->size)
            munmap(a->start - page, a->size + 2 * page);
        size = (2 * size + page - 1) / page * page;
        p = (ss_byte*)mmap(NULL, size + 2 * page, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        check(p != (ss_byte*)MAP_FAILED, "mmap");
        check(mprotect(p, page, PROT_NONE) == 0, "mprotect");
        check(mprotect(p + page + size, page, PROT_NONE) == 0, "mprotect");
        a->start = p + page;
    }
#else
    free(a->start);
    size *= 2;
    a->start = (ss_byte*)malloc(size);
    check(a->start != NULL, "malloc");
#endif
    memset(a->start, '7', size);
    a->size = size;
    a->end = a->start + size;
}

/* -- input and output ----------------------------------------------------------- */

static int get(arena* a, size_t slack, uint32_t* length) {
    if (fread(length, 4, 1, stdin) != 1)
        return 0;
    grow(a, *length + slack);
    return 1;
}

static void get_bytes(ss_byte* p, uint32_t length) {
    check(fread(p, 1, length, stdin) == length, "input");
}

static void put(const void* p, size_t size) { fwrite(p, 1, size, stdout); }

static uint64_t bits_of(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}

/* -- numbers --------------------------------------------------------------------- */

typedef struct {
    int64_t taken;    /* bytes of the number, -1 if there is none */
    uint64_t bits;    /* of the double */
    uint64_t fast;    /* the same from ss_decimal_fast, all ones if it declines */
    int64_t integer;  /* from ss_int64 */
    int32_t integral; /* as ss_number says */
    int32_t fits;     /* as ss_int64 says */
} number;

static number number_at(const ss_byte* p) {
    number n = {-1, 0, UINT64_MAX, 0, 0, 0};
    double x = 0;
    const ss_byte* const end = ss_number(p, &x, &n.integral);
    if (end) {
        n.taken = end - p;
        n.bits = bits_of(x);
        n.fits = ss_int64(p, end, &n.integer);
    }
    return n;
}

static void numbers(void) {
    arena a = {0}, b = {0};
    uint32_t length;
    while (get(&a, 160, &length)) {
        number n, m;
        double x;
        /* 8 bytes beyond the one that ends the number, as ss_number may read. */
        ss_byte* p = a.end - 9 - length;
        get_bytes(p, length);
        p[length] = ',';
        n = number_at(p);

        /* The same at the beginning, and the fast one with what it may read. */
        grow(&b, length + 160);
        p = b.start;
        memcpy(p, a.end - 9 - length, length);
        p[length] = ',';
        m = number_at(p);
        check(n.taken == m.taken && n.bits == m.bits && n.integral == m.integral &&
                  n.fits == m.fits && n.integer == m.integer,
              "the same number elsewhere");
        memset(b.start, '7', 16);
        p = b.start + (length < 16 ? 16 - length : 0);
        memcpy(p, a.end - 9 - length, length);
        memset(p + length, '7', 16);
        if (ss_decimal_fast(p, p + length, &x)) {
            n.fast = bits_of(x);
            check(n.fast != UINT64_MAX, "a NaN");
        }
        memset(b.start, '7', length + 160);
        p = b.end - length - (length < 9 ? 9 - length : 0);
        memcpy(p, a.end - 9 - length, length);
        x = 0;
        if (ss_decimal_fast(p, p + length, &x) ? bits_of(x) != n.fast : n.fast != UINT64_MAX)
            fail("the same decimal elsewhere");
        memset(b.end - length - 16, '7', length + 16);

        memset(a.end - 9 - length, '7', length + 1);
        put(&n, sizeof n);
    }
}

/* -- utf8 and join ------------------------------------------------------------------ */

/* Place of the error or -1, length of the repaired text, the repaired text. */
static void utf8(void) {
    arena a = {0}, b = {0};
    uint32_t length;
    while (get(&a, 64, &length)) {
        ss_byte* const p = a.end - length;
        const ss_byte* error;
        int64_t place, other;
        uint64_t repaired;
        get_bytes(p, length);
        error = ss_utf8_error(p, a.end);
        place = error ? error - p : -1;
        memcpy(a.start, p, length);
        error = ss_utf8_error(a.start, a.start + length);
        other = error ? error - a.start : -1;
        check(place == other, "the same text elsewhere");
        memmove(p, a.start, length);
        grow(&b, 3 * length + 1);
        repaired = ss_utf8_repair(p, a.end, b.end - 3 * length);
        put(&place, 8);
        put(&repaired, 8);
        put(b.end - 3 * length, (size_t)repaired);
    }
}

/* Length of the joined text, the joined text. */
static void join(void) {
    arena a = {0}, b = {0};
    uint32_t length;
    while (get(&a, 64, &length)) {
        ss_byte* const p = a.end - length;
        uint64_t joined, other, pairs;
        get_bytes(p, length);
        grow(&b, length + 1);
        pairs = ss_utf8_pairs(p, length);
        joined = ss_utf8_join(p, length, b.end - length);
        check(joined == length - 2 * pairs, "pairs");
        other = ss_utf8_join(p, length, p);
        check(joined == other && memcmp(p, b.end - length, (size_t)joined) == 0, "join in place");
        put(&joined, 8);
        put(p, (size_t)joined);
    }
}

/* -- vector --------------------------------------------------------------------------- */

static void vector_masks(const ss_byte* p, int c) {
    uint32_t stops = 0, high = 0, equal = 0, ends = 0, either = 0;
    int i;
    for (i = 0; i < 16; i++) {
        stops |= (uint32_t)(p[i] == '"' || p[i] == '\\' || p[i] < 0x20) << i;
        high |= (uint32_t)(p[i] >= 0x80) << i;
        equal |= (uint32_t)(p[i] == (c & 0xFF)) << i;
        either |= (uint32_t)((p[i] | 0x20) == ((c | 0x20) & 0xFF)) << i;
        ends |= (uint32_t)(p[i] == ',' || p[i] == '}') << i;
    }
    check(ss_string_stops16(p) == stops, "ss_string_stops16");
    check(ss_high16(p) == high, "ss_high16");
    check(ss_equals16(p, c) == equal, "ss_equals16");
    check(ss_either16(p, c | 0x20) == either, "ss_either16");
    check(ss_value_ends16(p) == ends, "ss_value_ends16");
}

/* `q` is overwritten. */
static void vector_controls(const ss_byte* p, ss_byte* q) {
    size_t i;
    for (i = 0; i < 64; i++)
        q[i] = p[i] | 0x20;
    check(!ss_has_control64(q), "ss_has_control64: none");
    q[below(64)] = (ss_byte)below(0x20);
    check(ss_has_control64(q), "ss_has_control64: one");
}

static void vector_lines(const ss_byte* begin, const ss_byte* end) {
    const ss_byte *p, *last = NULL;
    size_t count = 0;
    for (p = begin; p != end; p++)
        if (*p == '\n') {
            last = p;
            count++;
        }
    check(ss_last_lf(begin, end) == last, "ss_last_lf");
    check(ss_count_lf(begin, end) == count, "ss_count_lf");
}

static void vector_same(const ss_byte* p, const ss_byte* q, uint32_t mask) {
    uint32_t same = 0;
    int i;
    for (i = 0; i < 16; i++)
        same |= (uint32_t)(p[i] == q[i]) << i;
    check(ss_matches16(p, q) == same, "ss_matches16");
    check(ss_same16(p, q) == (same == 0xFFFF), "ss_same16");
    check(ss_same16_masked(p, q, mask) == ((same | ~mask) == UINT32_MAX), "ss_same16_masked");
}

static void vector(size_t rounds) {
    static const ss_byte special[16] = {'"', '\\', '\n', 0x1F, 0x20, 0,    0x80, '"' | 0x80,
                                        '!', '#',  ',',  ']',  0xFF, 0x7F, '}', 0x8A};
    arena a = {0}, b = {0};
    size_t round, i, n, at;
    int bit;

    grow(&a, 16384);
    grow(&b, 16384);
    for (bit = 0; bit < 64; bit++) {
        const uint64_t x = (uint64_t)1 << bit;
        const uint64_t above = any() << bit | x, under = (any() & (x - 1)) | x;
        for (i = n = 0; i < 64; i++)
            n += above >> i & 1;
        check(ss_count64(above) == (int)n, "ss_count64");
        check(ss_ctz64(above) == bit, "ss_ctz64");
        check(ss_clz64(under) == 63 - bit, "ss_clz64");
        if (bit < 32) {
            check(ss_ctz32((uint32_t)above) == bit, "ss_ctz32");
            check(ss_clz32((uint32_t)under) == 31 - bit, "ss_clz32");
        }
    }
    for (round = 0; round < rounds; round++) {
        const int wild = round % 3 != 0;
        n = below(round % 7 ? 200 : 8192);
        for (i = 0; i < n + 64; i++)
            a.end[-1 - (ptrdiff_t)i] = wild ? special[below(16)] : (ss_byte)any();
        memcpy(a.start, a.end - n - 64, n + 64);

        vector_masks(a.end - 64, (int)(any() % 512) - 128);
        vector_controls(a.end - 64, b.end - 64);
        vector_lines(a.end - n, a.end);
        vector_lines(a.start, a.start + n);

        /* The literal has to be readable as far as its length, or sixteen. */
        memcpy(b.start, a.end - 16, 16);
        vector_same(a.end - 16, b.start, 0);
        for (i = 0; i < 3; i++) {
            b.start[below(16)] = special[below(16)];
            vector_same(a.end - 16, b.start, (uint32_t)any() & 0xFFFF);
        }
        {
            const size_t need = n < 16 ? 16 : n;
            ss_byte *p = a.end - need, *q = b.end - need;
            memcpy(q, p, need);
            check(ss_same_run(p, q, n), "ss_same_run: same");
            check(ss_same_long(p, q, n), "ss_same_long: same");
            if (n == 0)
                continue;
            check(ss_same_within(a.end - n, b.end - n, n), "ss_same_within: same");
            at = below(n);
            b.end[(ptrdiff_t)at - (ptrdiff_t)n] = (ss_byte)(b.end[(ptrdiff_t)at - (ptrdiff_t)n] ^ 1);
            check(!ss_same_within(a.end - n, b.end - n, n), "ss_same_within: different");
            b.end[(ptrdiff_t)at - (ptrdiff_t)n] = (ss_byte)(b.end[(ptrdiff_t)at - (ptrdiff_t)n] ^ 1);
            q[at] = (ss_byte)(q[at] ^ 1 << below(8));
            check(!ss_same_run(p, q, n), "ss_same_run: different");
            check(!ss_same_long(p, q, n), "ss_same_long: different");
            /* What is compared may end soon after the first difference. */
            memcpy(a.end - at - 16, q, at + 16 < need ? at + 16 : need);
            a.end[-16] = (ss_byte)~q[at];
            check(!ss_same_run(a.end - at - 16, q, n), "ss_same_run: early");
            memmove(a.end - at - 64, a.end - at - 16, at + 1);
            check(!ss_same_long(a.end - at - 64, q, n), "ss_same_long: early");
        }
        memcpy(b.start, a.end - 16, 16);
        ss_copy16(a.start, a.end - 16);
        check(memcmp(a.start, b.start, 16) == 0, "ss_copy16");
        ss_copy16(a.start + 3, a.start);
        check(memcmp(a.start + 3, b.start, 16) == 0, "ss_copy16 with an overlap");
        SS_PREFETCH(a.end + 64);
    }
    /* As many as can be: a byte of a sum must not overflow. */
    memset(a.start, '\n', a.size);
    for (n = 0; n < a.size; n += n < 64 ? 1 : 61)
        check(ss_count_lf(a.end - n, a.end) == n, "ss_count_lf");
    printf("ok\n");
}

/* -- by hand: strtod, speed ------------------------------------------------------------ */

static double any_double(void) {
    double x;
    do {
        const uint64_t bits = any();
        memcpy(&x, &bits, 8);
    } while (!(fabs(x) <= DBL_MAX));
    return x;
}

static int any_text(char* s) {
    static const char* const forms[] = {"%.17g", "%.16g", "%.15g", "%.17e", "%.30g", "%.25e"};
    const uint64_t r = any();
    int i, n;
    switch (r % 8) {
    case 0:
        return sprintf(s, forms[below(6)], any_double());
    case 1: /* the common decimal */
        n = sprintf(s, "%s%d.", r & 64 ? "-" : "", r & 128 ? (int)below(20) : 0);
        for (i = 1 + (int)below(20); i; i--)
            s[n++] = (char)('0' + below(10));
        return n;
    case 2: /* a float, in the digits a float needs */
        return sprintf(s, "%.9g", (double)(float)ldexp((double)(r >> 11), (int)below(200) - 150));
    case 3:
        return sprintf(s, "%llue%d", (unsigned long long)(any() >> below(64)), (int)below(720) - 365);
    case 4: { /* between two doubles, exactly, or not quite; up to 767 digits */
        double x = fabs(any_double());
        uint64_t bits = bits_of(x);
        int e;
        if (r & 64) /* small ones */
            bits &= (((uint64_t)1 << 53) - 1) >> below(52);
        x = ss_double_of_bits(bits);
        x = frexp(x, &e);
        /* (2 * x + 1 unit) * 2**(e - 54) in long doubles, which have 64 bits here */
        n = sprintf(s, "%.*Le", (int)below(3) ? 780 : (int)below(800),
                    ldexpl((long double)x + ldexpl(1, e < -1021 ? -1075 - e : -54), e));
        if (strchr(s, 'e') && r & 128) {
            char* p = strchr(s, 'e') - 1;
            *p = (char)(*p == '0' ? '1' : *p - 1);
        }
        return n;
    }
    case 5: /* near the ends */
        return sprintf(s, "%.*e", (int)below(40),
                       r & 64 ? DBL_MAX * (1 - 1e-15 * (double)below(3)) : any_double() * 1e-300);
    case 6: /* many digits, and an exponent that makes up for them */
        n = 0;
        if (r & 64)
            s[n++] = '-';
        if (r & 128)
            n += sprintf(s + n, "0.");
        else
            s[n++] = '1';
        for (i = (int)below(900); i; i--)
            s[n++] = (char)('0' + (r & 256 && below(50) ? 0 : below(10)));
        if (s[n - 1] == '.')
            s[n++] = '0';
        return n + sprintf(s + n, "e%d", (int)below(2400) - 1200);
    default:
        return sprintf(s, "%.*f", (int)below(25), ldexp((double)(int64_t)any(), -(int)below(80)));
    }
}

static void against_strtod(size_t rounds) {
    static char buffer[4096];
    char* const s = buffer + 64;
    size_t round, wrong = 0, decimals = 0, integers = 0;
    memset(buffer, '7', sizeof buffer);
    for (round = 0; round < rounds; round++) {
        const int n = any_text(s);
        const ss_byte* p = (const ss_byte*)s;
        double x = 0, y, z;
        int integral;
        s[n] = 0;
        y = strtod(s, NULL);
        s[n] = ',';
        if (ss_number(p, &x, &integral) != p + n || bits_of(x) != bits_of(y)) {
            printf("%.*s is %a, not %a\n", n, s, y, x);
            wrong++;
        }
        if (ss_decimal_fast(p, p + n, &z)) {
            decimals++;
            if (bits_of(z) != bits_of(y)) {
                printf("%.*s is %a, not %a\n", n, s, y, z);
                wrong++;
            }
        }
        integers += (size_t)integral;
    }
    printf("%zu numbers, %zu of them by ss_decimal_fast, %zu integers, %zu wrong\n", rounds, decimals,
           integers, wrong);
    if (wrong)
        exit(1);
}

static double nanoseconds(void) { return (double)clock() * (1e9 / CLOCKS_PER_SEC); }

/* What ss_decimal_fast does, with a loop over the digits. */
static int loop(const ss_byte* p, const ss_byte* end, double* out) {
    const int minus = *p == '-';
    const ss_byte *first = p += minus, *point;
    uint64_t w = 0;
    for (; ss_is_digit(*p); p++)
        w = w * 10 + (uint64_t)(*p - '0');
    if (*p != '.')
        return 0;
    point = p;
    for (p++; ss_is_digit(*p); p++)
        w = w * 10 + (uint64_t)(*p - '0');
    if (p != end || p - first > 20)
        return 0;
    if (w == 0)
        *out = 0;
    else {
        const ss_digits text = {first, p, (size_t)(p - first - 1), point + 1 - p};
        *out = ss_double_of_bits(ss_round(w, (int)text.exponent, 0, text));
    }
    if (minus)
        *out = -*out;
    return 1;
}

static void speed(void) {
    enum { count = 4000, rounds = 2000 };
    static const char* const names[] = {"shortest floats", "shortest doubles", "16 decimals", "4 decimals"};
    static const char* const ways[] = {"loop", "ss_number", "ss_decimal_fast"};
    static char text[count * 40 + 128];
    static const ss_byte *from[count], *to[count];
    double sum = 0;
    int set, i, round, way;
    for (set = 0; set < 4; set++) {
        char* s = text + 64;
        for (i = 0; i < count; i++) {
            const double u = ((double)(any() >> 11) + 1) / 9007199254740993.0;
            const double x = -12 * pow(u, set < 2 ? 6 : 1);
            int digits = set == 0 ? 5 : 14, n, decimals;
            char t[64];
            do
                sprintf(t, "%.*g", ++digits, x);
            while (set == 0 ? (float)strtod(t, NULL) != (float)x : set == 1 && strtod(t, NULL) != x);
            decimals = digits - 1 - (int)floor(log10(-x));
            decimals = set == 2 ? 16 : set == 3 ? 4 : decimals > 19 ? 19 : decimals;
            n = sprintf(s, "%.*f", decimals, x);
            from[i] = (const ss_byte*)s;
            to[i] = (const ss_byte*)(s += n);
            *s++ = ',';
        }
        printf("%-17s", names[set]);
        for (way = 0; way < 3; way++) {
            double best = 1e9;
            for (round = 0; round < rounds; round++) {
                double t = nanoseconds(), x = 0;
                int integral;
                if (way == 0)
                    for (i = 0; i < count; i++, sum += x)
                        loop(from[i], to[i], &x);
                else if (way == 1)
                    for (i = 0; i < count; i++, sum += x)
                        ss_number(from[i], &x, &integral);
                else
                    for (i = 0; i < count; i++, sum += x)
                        if (!ss_decimal_fast(from[i], to[i], &x))
                            ss_number(from[i], &x, &integral);
                t = (nanoseconds() - t) / count;
                best = t < best ? t : best;
            }
            printf("  %s %5.1f ns", ways[way], best);
        }
        printf("\n");
    }
    if (sum == 0)
        printf(" \n");
}

int main(int argc, char** argv) {
    const char* const what = argc > 1 ? argv[1] : "";
#if defined(_WIN32)
    _setmode(_fileno(stdin), _O_BINARY);
    _setmode(_fileno(stdout), _O_BINARY);
#endif
    if (argc > 2)
        seed = strtoull(argv[2], NULL, 10) * 2 + 1;
    if (strcmp(what, "vector") == 0 && argc == 4)
        vector((size_t)strtoull(argv[3], NULL, 10));
    else if (strcmp(what, "strtod") == 0 && argc == 4)
        against_strtod((size_t)strtoull(argv[3], NULL, 10));
    else if (strcmp(what, "numbers") == 0)
        numbers();
    else if (strcmp(what, "utf8") == 0)
        utf8();
    else if (strcmp(what, "join") == 0)
        join();
    else if (strcmp(what, "speed") == 0)
        speed();
    else
        return 2;
    return 0;
}
