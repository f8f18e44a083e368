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

#include <stdint.h>

"""

DECIMAL = """\
typedef struct {
    uint8_t digits[16];     /* 0xFF for the last f of sixteen bytes */
    uint64_t power;         /* 10**f */
    uint64_t scale;         /* upper half of the significand of 10**-f */
    uint32_t exponent;      /* see ss_decimal_fast */
    uint32_t most;          /* largest integer part that surely fits 64 bits */
    uint32_t early_mask;    /* the digits before the last sixteen, */
    uint32_t early_check;   /*   what makes a wrong one reach 0x80, */
    uint32_t early_weight;  /*   and what multiplies them into one number */
    uint32_t unused;
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
    yield "\nstatic const ss_decimal_row ss_decimal_rows[20] = {\n"
    yield "    {{0}, 1, 0, 0, 0, 0, 0, 0, 0},\n"
    for f in range(1, 20):
        digits = ", ".join(["0"] * (16 - min(f, 16)) + ["255"] * min(f, 16))
        most = {18: 9, 19: 0}.get(f, 99)
        # Up to three digits come before the last sixteen, lowest byte first.
        # A multiply brings the sum of two neighbours, tens and ones, to bits
        # 16 to 23. Of three digits the first has to be zero.
        mask, check, weight = {
            17: (0x0000FF, 0x767676, 1 << 16),
            18: (0x00FFFF, 0x767676, 10 << 16 | 1 << 8),
            19: (0xFFFFFF, 0x76767F, 10 << 8 | 1),
        }.get(f, (0, 0, 0))
        yield (
            f"    {{{{{digits}}},\n"
            f"     {10**f}ULL, 0x{significand(-f) >> 64:016x}ULL, {1086 + log2_of_power(-f)}, {most},\n"
            f"     0x{mask:06x}, 0x{check:06x}, 0x{weight:06x}, 0}},\n"
        )
    yield "};\n\n"


def text():
    return "".join([HEAD, *powers(), *decimals(), "#endif\n"])


def main():
    path = Path(__file__).with_name("powers_of_ten.h")
    if sys.argv[1:] == ["--check"]:
        return path.read_text(encoding="ascii") != text()
    path.write_text(text(), encoding="ascii", newline="\n")


if __name__ == "__main__":
    sys.exit(main())
