/* exp for probabilities, many at once.

   exp(x) = 2^k exp(r) with k = round(x / ln 2) and |r| <= ln 2 / 2; exp(r) by its Taylor series to the 13th power,
   whose rest is below 2^-57, odd and even powers apart. Every step is an IEEE operation in an order that is written
   down, and nothing is fused: ssift.statistics.plain does the same in numpy and gives the same doubles. The result is
   within one unit of the last place; it is 1 from 0 on and 0 below -708, where it is less than 3.4e-308. NaN gives 1.

   The steps are written once, for doubles or for vectors of them: SS_EXP(mask, x, ...) only differs in its types. */

#ifndef SSIFT_EXPONENTIAL_H
#define SSIFT_EXPONENTIAL_H

#include "portable.h"

#define SS_ROUNDER 6755399441055744.0 /* 1.5 * 2^52: adding it rounds to an integer, which the low bits then hold */
#define SS_PER_OCTAVE 1.4426950408889634
#define SS_OCTAVE_HIGH 0.6931471803691238 /* ln 2 to 33 bits, so that k times it is exact, and the rest */
#define SS_OCTAVE_LOW 1.9082149292705877e-10
#define SS_SMALLEST -708.0

#define SS_EXP(real, bits, y, result)                                                                                  \
    do {                                                                                                               \
        real t = y * SS_PER_OCTAVE + SS_ROUNDER, k = t - SS_ROUNDER;                                                   \
        real r = (y - k * SS_OCTAVE_HIGH) - k * SS_OCTAVE_LOW, s = r * r;                                              \
        real even = 1.0 / 2 + s * (1.0 / 24 + s * (1.0 / 720 + s * (1.0 / 40320 + s * (1.0 / 3628800 +                 \
                    s * (1.0 / 479001600)))));                                                                         \
        real odd = 1.0 / 6 + s * (1.0 / 120 + s * (1.0 / 5040 + s * (1.0 / 362880 + s * (1.0 / 39916800 +              \
                   s * (1.0 / 6227020800.0)))));                                                                       \
        real p = 1.0 + (r + s * (even + r * odd)), scale;                                                              \
        bits power;                                                                                                    \
        memcpy(&power, &t, sizeof t);                                                                                  \
        power = (power + 1023) << 52;                                                                                  \
        memcpy(&scale, &power, sizeof scale);                                                                          \
        result = p * scale;                                                                                            \
    } while (0)

static inline double ss_exp(double x) {
    double y = x < 0 ? x : 0.0, result;
    y = y > SS_SMALLEST ? y : SS_SMALLEST;
    SS_EXP(double, uint64_t, y, result);
    return x < SS_SMALLEST ? 0.0 : result;
}

/* out[i] = exp(x[i]) for i < n. A vector is eight doubles, which the compiler cuts to the width of the machine. The steps
   are the same for all, and so are the results. */
SS_WIDEST static void ss_exp_all(const double *x, double *out, size_t n) {
    size_t i = 0;
#if defined(SS_VECTOR)
    typedef double reals SS_VECTOR;
    typedef int64_t masks SS_VECTOR;
    typedef uint64_t words SS_VECTOR;
    for (; i + 8 <= n; i += 8) {
        reals given, y, result, least = {0};
        memcpy(&given, x + i, sizeof given);
        least = least + SS_SMALLEST;
        y = (reals)((given < 0.0) & (masks)given);
        masks large = y > SS_SMALLEST;
        y = (reals)((large & (masks)y) | (~large & (masks)least));
        SS_EXP(reals, words, y, result);
        result = (reals)(~(given < SS_SMALLEST) & (masks)result);
        memcpy(out + i, &result, sizeof result);
    }
#endif
    for (; i < n; i++) out[i] = ss_exp(x[i]);
}

#endif
