/* Natural numbers of bounded size: just enough arithmetic for decimal.h to
 * compare two numbers exactly. 96 limbs of 32 bits hold all that it needs, as
 * is shown there; nothing here allocates.
 */
#ifndef SS_NATURAL_H
#define SS_NATURAL_H

#include <stdint.h>

/* A natural number, lowest limb first. No more limbs than needed. */
#define SS_LIMBS 96
typedef struct {
    int count;
    uint32_t limb[SS_LIMBS];
} ss_natural;

/* a = a * factor + term */
static inline void ss_natural_multiply(ss_natural* a, uint32_t factor, uint32_t term) {
    uint64_t carry = term;
    int i;
    for (i = 0; i < a->count; i++) {
        carry += (uint64_t)a->limb[i] * factor;
        a->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry && a->count < SS_LIMBS)
        a->limb[a->count++] = (uint32_t)carry;
}

/* a = a * 5**power */
static inline void ss_natural_fives(ss_natural* a, int power) {
    for (; power >= 13; power -= 13)
        ss_natural_multiply(a, 1220703125u, 0);
    for (; power > 0; power--)
        ss_natural_multiply(a, 5, 0);
}

/* a = a * 2**power */
static inline void ss_natural_twos(ss_natural* a, int power) {
    const int limbs = power / 32;
    int i;
    ss_natural_multiply(a, (uint32_t)1 << power % 32, 0);
    if (limbs == 0 || a->count == 0 || a->count + limbs > SS_LIMBS)
        return;
    for (i = a->count - 1; i >= 0; i--)
        a->limb[i + limbs] = a->limb[i];
    for (i = 0; i < limbs; i++)
        a->limb[i] = 0;
    a->count += limbs;
}

static inline int ss_natural_compare(const ss_natural* a, const ss_natural* b) {
    int i;
    if (a->count != b->count)
        return a->count < b->count ? -1 : 1;
    for (i = a->count - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

#endif
