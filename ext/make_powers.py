"""Writes powers_of_ten.h, the tables of decimal.h.

    python ext/make_powers.py            writes the file next to this script
    python ext/make_powers.py --check    compares it instead; exit status 1 if it differs

Nothing here needs more than Python's integers. The tables are these:

The powers of ten. 10**q is M * 2**E with M between 2**127 and 2**128; the table
has the integer part of M as two 64-bit halves, the upper one first. E needs no
table: E + 127 is floor(log2(10**q)), which for the exponents we need is
(217706 * q) >> 16 (checked below, for each of them).

Which exponents? w * 10**q with an integer w from 1 to 2**64 - 1 is less than
half the smallest double when q < -342, and larger than the largest one when
q > 308.

The decimals. What ss_decimal_fast needs to know about a text with f digits
after the point, for each f from 1 to 19. See there.
"""

import sys
from pathlib import Path

SMALLEST, LARGEST = -342, 308

HEAD = """\
/* Written by make_powers.py, which explains it. Do not edit. */
#ifndef SS_POWERS_OF_TEN_H
#define SS_POWERS_OF_TEN_H

#include "portable.h"

"""

DECIMAL = """\
/* A row is as large as a cache line, and starts with one. */
typedef struct {
    uint16_t pairs[8];     /* what makes sixteen bytes eight numbers of two digits */
    uint32_t used;         /* which of the sixteen are digits of the fraction */
    uint32_t early_mask;   /* the digits before the last sixteen, */
    uint64_t early_weight; /*   and what multiplies them into one number */
    uint64_t zeros;        /* what must be zero, see ss_decimal_fast */
    uint64_t power;        /* 10**f */
    uint64_t scale;        /* upper half of the significand of 10**-f */
    uint64_t exponent;     /* see ss_decimal_fast */
} ss_decimal_row;
"""


def log2_of_power(q):
    return (217706 * q) >> 16


def significand(q):
    shift = 127 - log2_of_power(q)
    if q >= 0:
        m = 10**q << shift if shift >= 0 else 10**q >> -shift
    else:
        m = (1 << shift) // 10**-q
    assert m.bit_length() == 128, q
    return m


def halves(m):
    return m >> 64, m & (1 << 64) - 1


def powers():
    yield f"#define SS_SMALLEST_POWER ({SMALLEST})\n"
    yield f"#define SS_LARGEST_POWER {LARGEST}\n\n"
    yield f"static const uint64_t ss_powers_of_ten[{LARGEST - SMALLEST + 1}][2] = {{\n"
    for q in range(SMALLEST, LARGEST + 1):
        upper, lower = halves(significand(q))
        yield f"    {{0x{upper:016x}ULL, 0x{lower:016x}ULL}}, /* {q} */\n"
    yield "};\n\n"


def decimals():
    yield DECIMAL
    yield "\nSS_ALIGNED(64) static const ss_decimal_row ss_decimal_rows[20] = {\n"
    yield "    {{0}, 0, 0, 0, 0, 1, 0, 0},\n"
    for f in range(1, 20):
        # A pair of digits is a + 256 * b, and we need 10 * a + b in the upper
        # byte of its multiple. When only b is a digit, the number is b.
        pairs = [0] * 8 + [1] * (f % 2) + [2561] * (f // 2)
        # Up to three digits come before the last sixteen, lowest byte first.
        # A multiply brings the sum of two neighbours, tens and ones, to bits
        # 16 to 23. Of three digits the first has to be zero, and so has the
        # integer part, two bytes before it: more does not fit 64 bits.
        mask, weight, zeros = {
            17: (0x0000FF, 1 << 16, 0),
            18: (0x00FFFF, 10 << 16 | 1 << 8, 0),
            19: (0xFFFFFF, 10 << 8 | 1, 0xFF00FF),
        }.get(f, (0, 0, 0))
        # See ss_round in decimal.h. The 1 is for the top bit of the significand,
        # which is added to the exponent.
        exponent = 1086 + log2_of_power(-f) - 1
        yield (
            f"    {{{{{', '.join(map(str, pairs[-8:]))}}}, 0x{0xFFFF << 16 - min(f, 16) & 0xFFFF:04x},\n"
            f"     0x{mask:06x}, 0x{weight:06x}, 0x{zeros:06x}, {10**f}ULL,\n"
            f"     0x{significand(-f) >> 64:016x}ULL, {exponent}}},\n"
        )
    yield "};\n\n"


def text():
    return "".join([HEAD, *powers(), *decimals(), "#endif\n"])


def main():
    path = Path(__file__).with_name("powers_of_ten.h")
    if sys.argv[1:] == ["--check"]:
        sys.exit(path.read_text(encoding="ascii") != text())
    path.write_text(text(), encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
