/* Decimal text to double.
 *
 * A number in a log is some digits and a power of ten, w * 10**q, and we want
 * the double nearest to it, ties to even: exactly what float(text) gives. Digits
 * to integer is easy. The rest of this comment is about w * 10**q, q usually
 * being negative, which is no easy thing to compute in binary.
 *
 * One multiply. Scale w up so that its top bit is set, call the result W. The
 * table has 10**q likewise, as a 128-bit integer M, rounded down: the power is
 * (M + d) * 2**E for some 0 <= d < 1. So the number is W * (M + d), give or take
 * a power of two that we know. That product has 192 bits, of which a double
 * keeps 53. The upper 64 of them are therefore plenty, unless they leave open
 * to which side we have to round:
 *
 *     n n n n ... n n   r r r r r r r r r r
 *     54 bits, called n  the rest
 *
 * The last bit of n, the round bit, is worth half a unit in the last place of
 * the double. When it is set we round up, when it is clear we round down, and
 * when it is set and there is nothing at all below it, we have a tie.
 *
 * Now use the upper half of M only, and truncate. The upper 64 bits that we get
 * this way are right, or too small by one. That can matter in two cases:
 *
 *   - The rest is all ones, and the true product might have carried into n. If n
 *     is odd, this changes nothing: n rounds up to (n + 1) / 2, and so does n + 1.
 *     If n is even, we do not know.
 *   - The rest is all zeros and n is odd. It may or may not be a tie.
 *
 * Otherwise we are done, with one multiply, and this is the case more than 99
 * times in 100. No more than this is assumed about the error, and nothing has to
 * be proved about the table.
 *
 * (Powers of ten as 128-bit integers, one multiply most of the time and a second
 * one at need: that idea is due to Michael Eisel and Daniel Lemire, who look at
 * the remaining cases differently.)
 *
 * The second multiply. In a case that is open we multiply with the lower half of
 * M, too, and know 128 bits of the product and whether there is anything below.
 * If 0 <= q <= 55, then d is 0 and we know the product exactly. Otherwise it may
 * still be too small, by less than one in the last of the 128 bits. Then it is
 * never a tie, as far as we can see, but may be about to carry into an even n.
 *
 * Long numbers. Only 19 digits are sure to fit w. With more digits we take the
 * first 19. The number is then between w and w + 1 (times a power of ten), so that
 * the upper 64 bits may be too small by another 2**64 / w, which is less than 19
 * when w has 19 digits. The same two cases are open, just a little more often.
 *
 * The exact comparison. When all that does not help, then the number is very
 * near to h = (n + 1) * 2**e, which is just between two doubles, and all we need
 * to know is whether it is less, equal, or more. We compare D * 10**Q with h, D
 * being all the digits: both sides become integers when we move the powers of
 * five and two to the side where their exponent is positive, so this is integer
 * arithmetic, with as many bits as it takes. How many? A point between two
 * doubles has at most 768 digits. It follows that we may stop after the first
 * 800 digits of D: if these are less than h then all of D is, if they are more
 * then all of D is, and if they are equal, it depends on whether any other digit
 * follows that is not zero. 800 digits are 2658 bits. As h is near D * 10**Q, the
 * other side has no more, or, before it is scaled up, at most 54 bits more than
 * 5**1123, which makes 2662. So 96 times 32 bits suffice, and the time it takes
 * is bounded, too: a few microseconds, and then a look at the other digits.
 *
 * Digits to integer, eight at a time: as bytes of a 64-bit integer, with the
 * first digit lowest. Multiply by 10 and add the neighbour to get four numbers
 * of two digits each, then 100 for two numbers of four digits, and so on. If the
 * digits are fewer than eight, shift zeros in from below, which are leading
 * zeros. In vectors it is the same with sixteen digits and multiply-adds.
 *
 * The rounding mode must be "to nearest", as it is unless someone changed it; we
 * use the floating-point unit only where integers up to 2**53 become doubles.
 */
#ifndef SS_DECIMAL_H
#define SS_DECIMAL_H

#include "natural.h"
#include "powers_of_ten.h"
#include "vector.h"

#define SS_INFINITE_BITS ((uint64_t)0x7FF << 52)

static inline double ss_double_of_bits(uint64_t bits) {
    double x;
    memcpy(&x, &bits, 8);
    return x;
}

/* floor(log2(10**q)) for every q of the table. 2048 is added and subtracted
 * again because C does not say what a negative number becomes when shifted. */
static inline int ss_log2_of_power(int q) {
    return (int)((uint32_t)(217706 * q + 2048 * 65536) >> 16) - 2048;
}

/* -- digits ---------------------------------------------------------------- */

/* 0x80 in every byte that is no digit. x has been XORed with '0' in each byte. */
static inline uint64_t ss_wrong_digits8(uint64_t x) {
    return (((x & SS_EACH8(0x7F)) + SS_EACH8(0x76)) | x) & SS_EACH8(0x80);
}

/* The number whose digits are the bytes of x, the first digit lowest. */
static inline uint32_t ss_number_of_digits8(uint64_t x) {
    const uint64_t every_other = 0x000000FF000000FFu;
    x = x * 10 + (x >> 8); /* two digits each in bytes 0, 2, 4 and 6 */
    x = (x & every_other) * (100 + ((uint64_t)1000000 << 32)) +
        (x >> 16 & every_other) * (1 + ((uint64_t)10000 << 32));
    return (uint32_t)(x >> 32);
}

/* Appends the digits at p to *w, modulo 2**64, and returns the place of the
 * first byte that is none. Reads up to 7 bytes beyond that one. */
static inline const ss_byte* ss_take_digits(const ss_byte* p, uint64_t* w) {
    static const uint32_t power[8] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    for (;;) {
        const uint64_t x = ss_load64(p) ^ SS_EACH8('0');
        const uint64_t wrong = ss_wrong_digits8(x);
        if (wrong) {
            const int count = ss_ctz64(wrong) >> 3;
            *w = *w * power[count] + ss_number_of_digits8(x << 8 << (56 - 8 * count));
            return p + count;
        }
        *w = *w * 100000000 + ss_number_of_digits8(x);
        p += 8;
    }
}

static inline int ss_is_digit(ss_byte c) { return (ss_byte)(c - '0') <= 9; }

/* The first byte in [p, end) that is neither '0' nor '.', or end. */
static inline const ss_byte* ss_skip_zeros(const ss_byte* p, const ss_byte* end) {
    for (;; p++) {
        while (end - p >= 8 && ss_load64(p) == SS_EACH8('0'))
            p += 8;
        if (p == end || (*p != '0' && *p != '.'))
            return p;
    }
}

/* -- the exact comparison -------------------------------------------------- */

/* Digits in a text, which may have one '.' among them. */
typedef struct {
    const ss_byte *first, *end;
    size_t count;     /* of digits in [first, end) */
    int64_t exponent; /* the last digit is worth 10**exponent */
} ss_digits;

/* Negative, zero, or positive as the decimal is less than, equal to, or more
 * than h * 2**e. Both must be about the same, see above. Reads the digits. */
static SS_NOINLINE int ss_compare_exactly(ss_digits text, uint64_t h, int e) {
    ss_natural a, b;
    const size_t count = text.count < 800 ? text.count : 800;
    const int q = (int)(text.exponent + (int64_t)(text.count - count));
    const ss_byte* p = text.first;
    size_t i;
    int order;

    a.count = 0;
    for (i = 0; i < count;) {
        uint32_t factor = 1, digits = 0;
        for (; i < count && factor < 1000000000; p++) {
            if (*p == '.')
                continue;
            digits = digits * 10 + (uint32_t)(*p - '0');
            factor *= 10;
            i++;
        }
        ss_natural_multiply(&a, factor, digits);
    }
    b.limb[0] = (uint32_t)h;
    b.limb[1] = (uint32_t)(h >> 32);
    b.count = b.limb[1] ? 2 : 1;

    if (q >= 0)
        ss_natural_fives(&a, q);
    else
        ss_natural_fives(&b, -q);
    if (e >= q)
        ss_natural_twos(&b, e - q);
    else
        ss_natural_twos(&a, q - e);

    order = ss_natural_compare(&a, &b);
    return order == 0 && ss_skip_zeros(p, text.end) != text.end ? 1 : order;
}

/* -- w * 10**q ------------------------------------------------------------- */

/* The bits of the double nearest to the digits of the text, whose first 19, or
 * all of them, make w * 10**q. There is more if any digit other than zero follows
 * those 19. w is not zero, and q is within the table. */
static SS_NOINLINE uint64_t ss_round_carefully(uint64_t w, int q, int more, ss_digits text) {
    const uint64_t* const m = ss_powers_of_ten[q - SS_SMALLEST_POWER];
    const int shift = ss_clz64(w);
    uint64_t product, middle, last, carry, slack, n, rest, bits;
    int exact, normal, exponent, s, tie;

    w <<= shift;
    middle = ss_multiply64(w, m[0], &product);
    last = ss_multiply64(w, m[1], &carry);
    middle += carry;
    product += middle < carry;

    /* The true product is less than product + slack + 1. */
    exact = q >= 0 && q <= 55 && !more;
    slack = exact ? 0 : more ? ((uint64_t)1 << shift) + 1 : middle == UINT64_MAX;

    /* s bits are the rest. The double is (n rounded) * 2**(exponent - 1075) and has
     * that exponent in its field, which is: 1075, and 128 bits of the product that
     * we do not look at, less 127 that log2 is above E, and 9 for the rest and 1 for
     * the round bit when the top bit is clear. It cannot be below 1: a smaller number
     * has fewer bits. */
    normal = (int)(product >> 63);
    exponent = 1086 + ss_log2_of_power(q) + normal - shift;
    s = 9 + normal;
    if (exponent >= 2047)
        return SS_INFINITE_BITS;
    if (exponent < 1) {
        s += 1 - exponent;
        exponent = 1;
    }
    if (s > 64)
        return 0;
    n = s < 64 ? product >> s : 0;
    rest = s < 64 ? product & (((uint64_t)1 << s) - 1) : product;

    if (n & 1)
        tie = exact && rest == 0 && middle == 0 && last == 0;
    else if (s < 64 ? (rest + slack) >> s == 0 : rest + slack >= rest)
        tie = 0;
    else {
        const int order = ss_compare_exactly(text, n + 1, exponent - 1076);
        n += order >= 0;
        tie = order == 0;
    }
    n = (n + 1) >> 1;
    if (tie)
        n -= n & 1; /* between n - 1 and n: take the even one */

    /* n has 53 bits, of which the field below the exponent has room for 52. The
     * top one we leave to be added to the exponent, and so is a carry into a
     * 54th, and a 53rd in a number that had fewer. */
    bits = ((uint64_t)(exponent - 1) << 52) + n;
    return bits < SS_INFINITE_BITS ? bits : SS_INFINITE_BITS;
}

/* The same for the usual case: one multiply, or hand over. */
static inline uint64_t ss_round(uint64_t w, int q, int more, ss_digits text) {
    const uint64_t* const m = ss_powers_of_ten[q - SS_SMALLEST_POWER];
    const int shift = ss_clz64(w);
    const uint64_t width = more ? 40 : 2; /* twice the error */
    uint64_t product;
    int normal, exponent;

    (void)ss_multiply64(w << shift, m[0], &product);
    normal = (int)(product >> 63);
    product <<= !normal;
    exponent = 1086 + ss_log2_of_power(q) + normal - shift;

    /* Eleven bits are now the round bit and the rest. Those from 0x400 - width up
     * to 0x400 are the open ones. */
    if (SS_UNLIKELY((product & 0x7FF) - (0x400 - width) <= width ||
                    (unsigned)(exponent - 1) > 2044))
        return ss_round_carefully(w, q, more, text);
    return ((uint64_t)(exponent - 1) << 52) + (((product >> 10) + 1) >> 1);
}

/* -- numbers --------------------------------------------------------------- */

/* The bits of the double nearest to the text, which has more than 19 digits. */
static SS_NOINLINE uint64_t ss_round_long(ss_digits text) {
    const ss_byte* p = text.first;
    uint64_t w = 0;
    int64_t exponent;
    int kept = 0;

    /* Zeros that do not count are a 0 before the point, and more after it. */
    if (*p == '0') {
        text.first = ss_skip_zeros(p, text.end);
        text.count -= (size_t)(text.first - p) - 1;
        p = text.first;
    }
    for (; p != text.end && kept < 19; p++)
        if (*p != '.') {
            w = w * 10 + (uint64_t)(*p - '0');
            kept++;
        }
    exponent = text.exponent + (int64_t)text.count - kept;
    if (w == 0 || exponent < SS_SMALLEST_POWER)
        return 0;
    if (exponent > SS_LARGEST_POWER)
        return SS_INFINITE_BITS;
    return ss_round(w, (int)exponent, ss_skip_zeros(p, text.end) != text.end, text);
}

/* Converts the JSON number at p, and returns the place of the first byte after
 * it, or NULL if there is no number at p. The number is as long as the grammar of
 * RFC 8259 permits, so "01" is a 0, "1.x" and "1e+" are a 1, as Python's json
 * module sees them, and it is for the caller to see that something impossible
 * follows. NaN, Infinity and -Infinity are numbers here.
 *
 * *out is what Python's float() makes of the text. *integral is 1 if there is
 * neither fraction nor exponent, and it is no NaN or infinity by name.
 *
 * Reads nothing before p, and at most 8 bytes beyond the first one that cannot belong
 * to the number. */
static inline const ss_byte* ss_number(const ss_byte* p, double* out, int* integral) {
    const int minus = *p == '-';
    ss_digits text;
    uint64_t w = 0, bits;
    int64_t exponent = 0;

    p += minus;
    text.first = p;
    if (SS_UNLIKELY(!ss_is_digit(*p))) {
        *integral = 0;
        if (memcmp(p, "Infinity", 8) == 0) {
            *out = ss_double_of_bits(SS_INFINITE_BITS | (uint64_t)minus << 63);
            return p + 8;
        }
        if (!minus && memcmp(p, "NaN", 3) == 0) {
            *out = ss_double_of_bits(SS_INFINITE_BITS | (uint64_t)1 << 51);
            return p + 3;
        }
        return NULL;
    }
    if (*p == '0')
        p++;
    else
        p = ss_take_digits(p, &w);
    text.count = (size_t)(p - text.first);
    text.exponent = 0;
    *integral = 1;
    if (*p == '.' && ss_is_digit(p[1])) {
        const ss_byte* const point = p;
        p = ss_take_digits(p + 1, &w);
        text.exponent = point + 1 - p;
        text.count += (size_t)(p - point - 1);
        *integral = 0;
    }
    text.end = p;
    if ((*p | 0x20) == 'e') {
        const int sign = p[1] == '+' || p[1] == '-';
        const int negative = p[1] == '-';
        if (ss_is_digit(p[1 + sign])) {
            /* Beyond 10**17 no text is long enough to make up for it, and nothing
             * overflows yet. */
            for (p += 1 + sign; ss_is_digit(*p); p++)
                if (exponent < 10000000000000000)
                    exponent = exponent * 10 + (*p - '0');
            exponent = negative ? -exponent : exponent;
            *integral = 0;
        }
    }

    text.exponent += exponent;
    if (SS_UNLIKELY(text.count > 19))
        bits = ss_round_long(text);
    else if (w == 0 || text.exponent < SS_SMALLEST_POWER)
        bits = 0;
    else if (text.exponent == 0 && w <= (uint64_t)1 << 53) {
        const double x = (double)(int64_t)w;
        *out = minus ? -x : x;
        return p;
    }
    else if (text.exponent > SS_LARGEST_POWER)
        bits = SS_INFINITE_BITS;
    else
        bits = ss_round(w, (int)text.exponent, 0, text);
    *out = ss_double_of_bits(bits | (uint64_t)minus << 63);
    return p;
}

/* The integral part of the number with the text [p, end), which must be one that
 * ss_number accepts. Returns 1, or 0 if it does not fit: an integer literal has to
 * be an int64 as it stands, anything else is a double first, truncated toward
 * zero. Reads what ss_number reads. */
static inline int ss_int64(const ss_byte* p, const ss_byte* end, int64_t* out) {
    const ss_byte* const text = p;
    const int minus = *p == '-';
    uint64_t w = 0;
    double x;
    int integral;

    p = ss_take_digits(p + minus, &w);
    if (p == end) {
        const size_t count = (size_t)(p - text) - (size_t)minus;
        if (count == 0 || count > 19 || w > (uint64_t)INT64_MAX + (uint64_t)minus)
            return 0;
        *out = minus && w ? -(int64_t)(w - 1) - 1 : (int64_t)w;
        return 1;
    }
    if (ss_number(text, &x, &integral) != end)
        return 0;
    if (!(x >= -9223372036854775808.0 && x < 9223372036854775808.0))
        return 0;
    *out = (int64_t)x;
    return 1;
}

/* -- the common decimal ---------------------------------------------------- */

/* The digits of a fraction among the last sixteen bytes before end, as a number.
 * *wrong becomes nonzero if one of them is no digit, or one of the early ones is
 * not, which are numbers already, and are there only if all sixteen are digits. */
static inline uint64_t ss_last_digits16(const ss_byte* end, size_t fraction, uint32_t early,
                                        uint32_t* wrong) {
#if defined(SS_SSE2)
    const ss_decimal_row* const row = &ss_decimal_rows[fraction];
    const __m128i pairs = _mm_loadu_si128((const __m128i*)(const void*)row->pairs);
    __m128i x = _mm_loadu_si128((const __m128i*)(const void*)(end - 16));
    __m128i check = _mm_cvtsi32_si128((int)early);
    uint64_t halves;
    x = _mm_xor_si128(x, _mm_set1_epi8('0'));
    check = _mm_adds_epu8(_mm_max_epu8(check, x), _mm_set1_epi8(0x76));
    *wrong = (uint32_t)_mm_movemask_epi8(check) & row->used;
    /* SSE2 has no multiply-add of bytes, but see make_powers.py. */
    x = _mm_srli_epi16(_mm_mullo_epi16(x, pairs), 8);
    x = _mm_madd_epi16(x, _mm_set1_epi32(100 | 1 << 16));
    x = _mm_packs_epi32(x, x);
    x = _mm_madd_epi16(x, _mm_set1_epi32(10000 | 1 << 16));
#  if defined(SS_X64)
    halves = (uint64_t)_mm_cvtsi128_si64(x);
#  else
    _mm_storel_epi64((__m128i*)(void*)&halves, x);
#  endif
    return (uint32_t)halves * (uint64_t)100000000 + (halves >> 32);
#else
    static const ss_byte last[32] = {0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,
                                     0,   0,   0,   0,   0,   255, 255, 255, 255, 255, 255,
                                     255, 255, 255, 255, 255, 255, 255, 255, 255, 255};
    const ss_byte* const used = last + (fraction < 16 ? fraction : 16);
#  if defined(SS_NEON)
    const uint8x16_t x = vandq_u8(veorq_u8(vld1q_u8(end - 16), vdupq_n_u8('0')), vld1q_u8(used));
    uint16x8_t two = vshrq_n_u16(vmulq_n_u16(vreinterpretq_u16_u8(x), 2561), 8);
    uint32x4_t four;
    *wrong = (uint32_t)(vmaxvq_u8(x) > 9) | (uint32_t)(ss_wrong_digits8(early) != 0);
    two = vmulq_u16(two, vreinterpretq_u16_u32(vdupq_n_u32(100 | 1 << 16)));
    two = vpaddq_u16(two, two);
    four = vmull_u16(vget_low_u16(two), vreinterpret_u16_u32(vdup_n_u32(10000 | 1 << 16)));
    four = vpaddq_u32(four, four);
    return vgetq_lane_u32(four, 0) * (uint64_t)100000000 + vgetq_lane_u32(four, 1);
#  else
    const uint64_t a = (ss_load64(end - 16) ^ SS_EACH8('0')) & ss_load64(used);
    const uint64_t b = (ss_load64(end - 8) ^ SS_EACH8('0')) & ss_load64(used + 8);
    *wrong = (ss_wrong_digits8(a) | ss_wrong_digits8(b) | ss_wrong_digits8(early)) != 0;
    return ss_number_of_digits8(a) * (uint64_t)100000000 + ss_number_of_digits8(b);
#  endif
#endif
}

/* Reads the text [p, end) if it has the common shape: optional '-', one or two digits
 * without a leading zero, '.', 1 to 19 digits. Its digits are the number *w, of which
 * *fraction stand behind the point. Returns 1, or 0 if the text has another shape, or
 * more digits than surely fit 64 bits.
 *
 * Reads p[0..9), and if the length is right, the sixteen bytes before end, so nothing
 * before p - 13. [p, end) may hold anything, and may be empty. */
static inline int ss_common_digits(const ss_byte* p, const ss_byte* end, uint64_t* w, size_t* fraction) {
    const size_t minus = *p == '-';
    /* The digit before the point becomes a number, and the point zero, so that the
     * two bytes together are below ten. */
    uint64_t head = ss_load64(p + minus) ^ SS_EACH8('0') ^ (uint64_t)('0' ^ '.') << 8;
    size_t count = (size_t)(end - p) - minus - 2;
    const ss_decimal_row* row;
    uint64_t whole = head & 0xFFFF;
    uint32_t early, wrong;

    if (SS_UNLIKELY(whole > 9)) {
        const uint64_t tens = head & 0xFF;
        const uint64_t ones = (head >> 8 & 0xFF) ^ '0' ^ '.';
        head >>= 8;
        count--;
        if (tens - 1 > 8 || ones > 9 || (head >> 8 & 0xFF) != ('0' ^ '.') || count > 17)
            return 0;
        whole = tens * 10 + ones;
    }
    if (SS_UNLIKELY(count - 1 > 18))
        return 0;
    row = &ss_decimal_rows[count];
    early = (uint32_t)(head >> 16) & row->early_mask;
    *w = ss_last_digits16(end, count, early, &wrong);
    if (SS_UNLIKELY(wrong || (head & row->zeros)))
        return 0;
    *w += (early * row->early_weight >> 16 & 0xFF) * 10000000000000000u;
    *w += whole * row->power;
    *fraction = count;
    return 1;
}

/* Converts the text [p, end) if it has the common shape. Returns 1, or 0 if it has not,
 * or is one of the few whose double is not obvious, less than one in a thousand. Then
 * ask ss_decimal_small. Reads what ss_common_digits reads. */
static inline int ss_decimal_fast(const ss_byte* p, const ss_byte* end, double* out) {
    uint64_t w, product, bits = 0;
    size_t fraction;

    if (SS_UNLIKELY(!ss_common_digits(p, end, &w, &fraction)))
        return 0;
    if (SS_LIKELY(w != 0)) {
        /* As ss_round does, but there are no ties: w would have to be an odd number
         * of 54 bits times 5**fraction, and is too small for that. */
        const ss_decimal_row* const row = &ss_decimal_rows[fraction];
        const int shift = ss_clz64(w);
        (void)ss_multiply64(w << shift, row->scale, &product);
        bits = row->exponent - (uint32_t)shift + (product >> 63);
        product = product >> 63 ? product : product + product;
        if (SS_UNLIKELY((product & 0x7FE) == 0x3FE))
            return 0;
        bits = ((bits << 53) + (product >> 10) + 1) >> 1;
    }
    *out = ss_double_of_bits(bits | (uint64_t)(*p == '-') << 63);
    return 1;
}

/* The same for logprobs near zero, whose text is the common shape and then an exponent
 * from e-0 to e-99; of these there are many. In doubt, or if the text is anything else,
 * ask ss_number. Reads what ss_common_digits reads. */
static SS_NOINLINE int ss_decimal_small(const ss_byte* p, const ss_byte* end, double* out) {
    const ss_byte* mark;
    uint64_t w, tens, ones, bits = 0;
    size_t fraction;
    ss_digits text;

    if (end - p < 6)
        return 0;
    mark = end[-3] == '-' ? end - 4 : end - 3;
    ones = (uint64_t)(end[-1] - '0');
    tens = end[-3] == '-' ? (uint64_t)(end[-2] - '0') : 0;
    if ((*mark | 0x20) != 'e' || mark[1] != '-' || ones > 9 || tens > 9)
        return 0;
    if (!ss_common_digits(p, mark, &w, &fraction))
        return 0;
    text.first = p + (*p == '-');
    text.end = mark;
    text.count = (size_t)(text.end - text.first) - 1;
    text.exponent = -(int64_t)(fraction + tens * 10 + ones);
    if (w != 0)
        bits = ss_round(w, (int)text.exponent, 0, text);
    *out = ss_double_of_bits(bits | (uint64_t)(*p == '-') << 63);
    return 1;
}

#endif
