"""The C primitives of the native engine, against Python.

primitives.c is a small program around the headers in ext/. It is compiled several times: as the engine is, in plain C
(without vector instructions and 128-bit integers), with the forms for Microsoft's compiler, and with what looks for
undefined behaviour.

    python -m tests.native.test_primitives 10000000

compares that many numbers instead of the hundred thousands of a test run. CC names another compiler, and SSIFT_EMULATOR
what runs its programs where this machine cannot (make test-arm).
"""

import os
import platform
import random
import re
import shlex
import struct
import subprocess
import sys
import sysconfig
from decimal import Context, Decimal
from functools import cache
from math import inf, nextafter
from pathlib import Path

import pytest

from tests.need import need

HERE = Path(__file__).parent
HEADERS = HERE.parent.parent / "ext"

EMULATOR = shlex.split(os.environ.get("SSIFT_EMULATOR", ""))
IS_X64 = platform.machine() in ("x86_64", "AMD64") and not EMULATOR

BUILDS = {
    "vectors": ["-O2"],
    "plain": ["-O2", "-DSS_PLAIN_C"],
    "checked": ["-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    "checked-plain": ["-O1", "-g", "-DSS_PLAIN_C", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    "msvc": ["-O2", "-D_MSC_VER=1930", "-D_M_X64=100", f"-I{HERE / 'msvc'}", "-Wno-unknown-pragmas"],
}
if not IS_X64:
    del BUILDS["msvc"]
if EMULATOR:  # where the sanitizers do not run
    BUILDS = {name: [*options, "-static"] for name, options in BUILDS.items() if not name.startswith("checked")}


def compiler():
    return shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[:1]


def compile_program(program, options):
    command = [*compiler(), *options, f"-I{HEADERS}", str(HERE / "primitives.c"), "-o", str(program), "-lm"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


class Program:
    def __init__(self, path, checked=False):
        self.path = path
        self.checked = checked

    def run(self, *arguments, input=b""):
        done = subprocess.run([*EMULATOR, self.path, *arguments], input=input, capture_output=True, check=False)
        assert done.returncode == 0, (done.stdout[-2000:] + done.stderr[-4000:]).decode(errors="replace")
        return done.stdout

    def run_on(self, what, texts):
        return self.run(what, input=b"".join([struct.pack("=I", len(text)) + text for text in texts]))

    def fewer(self, texts):
        return texts[::10] if self.checked else texts


@pytest.fixture(scope="module", params=BUILDS)
def program(request, tmp_path_factory):
    path = tmp_path_factory.mktemp("primitives") / "primitives"
    try:
        done = compile_program(path, BUILDS[request.param])
    except OSError as error:
        need(None, f"a C compiler: {error}")
    checked = request.param.startswith("checked")
    if checked:
        runs = done.returncode == 0 and subprocess.run([path], capture_output=True, check=False).returncode == 2
        need(runs, "a C compiler with sanitizers that run")
    assert done.returncode == 0, done.stderr
    return Program(path, checked)


@pytest.mark.parametrize("plain", [[], ["-DSS_PLAIN_C"]], ids=["vectors", "plain"])
def test_no_warnings(plain, tmp_path):
    options = ["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Wconversion", "-Wshadow", *plain]
    try:
        assert compile_program(tmp_path / "primitives", options).stderr == ""
    except OSError as error:
        need(None, f"a C compiler: {error}")


def test_table_is_what_the_script_writes():
    subprocess.run([sys.executable, HEADERS / "make_powers.py", "--check"], check=True)


# ------------------------------------------------------------------------------------------------------------ vector.h


def test_vector(program):
    assert program.run("vector", "1", "1000" if program.checked else "10000") == b"ok\n"


# ----------------------------------------------------------------------------------------------------------- decimal.h

NUMBER = re.compile(rb"NaN|-?Infinity|(-?(?:0|[1-9][0-9]*))(\.[0-9]+)?([eE][-+]?[0-9]+)?")
COMMON = re.compile(rb"-?(?:0|[1-9][0-9]?)\.[0-9]{1,19}")
SURELY_64_BITS = re.compile(rb"-?(?:[0-9]{1,2}\.[0-9]{1,17}|[0-9]\.[0-9]{18}|0\.0[0-9]{18})")
RECORD = struct.Struct("=qQQqii")
DECLINED = 2**64 - 1
EXACT = Context(prec=2000, Emin=-9999, Emax=9999)


def bits(x):
    return struct.unpack("=Q", struct.pack("=d", x))[0]


def double(n):
    return struct.unpack("=d", struct.pack("=Q", n))[0]


def expected(text):
    """taken, bits, integer or None, is it an integer literal."""
    match = NUMBER.match(text)
    if not match:
        return -1, 0, None, False
    number = match.group()
    x = float(number)
    integral = match.group(1) == number
    if integral:
        integer = int(number) if len(number) < 30 else 2**64
    else:
        integer = int(x) if abs(x) < 1e30 else 2**64
    return len(number), bits(x), integer if -(2**63) <= integer < 2**63 else None, integral


def compare(program, texts):
    """Checks all texts, and returns how many common decimals there are, and how many were declined."""
    answers = program.run_on("numbers", texts)
    assert len(answers) == len(texts) * RECORD.size
    common = declined = 0
    for text, answer in zip(texts, RECORD.iter_unpack(answers), strict=True):
        taken, value, fast, integer, integral, fits = answer
        assert (taken, value, integer if fits else None, bool(integral)) == expected(text), text
        if not COMMON.fullmatch(text):
            assert fast == DECLINED, text
        else:
            assert fast in (value, DECLINED), text
            if SURELY_64_BITS.fullmatch(text):
                common += 1
                declined += fast == DECLINED
    return common, declined


def a_double(rng):
    kind = rng.randrange(4)
    if kind == 0:
        return double(rng.getrandbits(52 - rng.randrange(52)))  # subnormal
    if kind == 1:
        return double(rng.choice([rng.getrandbits(11) << 52, 2046 << 52 | rng.getrandbits(52)]) % (2047 << 52))
    if kind == 2:
        return rng.random() * 10 ** rng.randrange(-6, 7)
    return double(rng.getrandbits(63) % (2047 << 52))


def digits(rng, n):
    return "".join(rng.choices("0123456789", k=n))


def common(rng):
    whole = rng.choice(["0", "0", "0", "-0", "-0", "-0", "1", "-9", "-12", "37", str(rng.randrange(100))])
    return f"{whole}.{'0' * rng.choice([0, 0, 0, 1, 2, 5])}{digits(rng, rng.randint(1, 19))}"


def shortest_float(rng):
    x = struct.unpack("=f", struct.pack("=f", -(10 ** rng.uniform(-12, 1.1))))[0]
    for precision in range(1, 10):
        text = f"{x:.{precision}g}"
        if struct.unpack("=f", struct.pack("=f", float(text)))[0] == x:
            break
    return rng.choice([text, f"{Decimal(text):f}", repr(x), f"{Decimal(repr(x)):f}"])


def shortest_double(rng):
    return repr(a_double(rng))


def rounded_double(rng):
    return f"{a_double(rng):.{rng.randrange(30)}{rng.choice('eg')}}"


def between_doubles(rng):
    x = a_double(rng)
    y = nextafter(x, inf)
    half = EXACT.multiply(EXACT.add(Decimal(x), Decimal(y) if y < inf else Decimal(2) ** 1024), Decimal("0.5"))
    text = f"{half:e}" if rng.random() < 0.5 or abs(half.adjusted()) > 400 else f"{half:f}"
    mantissa, _, exponent = text.partition("e")
    if "." not in mantissa:
        mantissa += ".0"
    match rng.randrange(5):
        case 0:
            mantissa = mantissa[:-1] + str((int(mantissa[-1]) + rng.choice([1, 9])) % 10)
        case 1:
            mantissa += "0" * rng.randrange(900) + rng.choice(["1", "", "0"])
        case 2:
            mantissa = (mantissa + "0")[: rng.randrange(3, 40)]
            mantissa += "0" * mantissa.endswith(".")
        case 3 if exponent:  # the same number, written with another exponent
            n = rng.randrange(1, 1000)
            mantissa = "0." + "0" * (n - 1) + mantissa.replace(".", "")
            exponent = str(int(exponent) + n)
    return mantissa + ("e" + exponent if exponent else "")


def any_exponent(rng):
    exponent = rng.choice([rng.randrange(-420, 420), rng.randrange(-30, 30), rng.randrange(-(10**20), 10**20)])
    mantissa = digits(rng, rng.randint(1, 25)).lstrip("0") or "0"
    if rng.random() < 0.5:
        mantissa += "." + digits(rng, rng.randint(1, 25))
    return f"{mantissa}{rng.choice('eE')}{rng.choice(['', '+']) if exponent >= 0 else ''}{exponent}"


def many_digits(rng):
    n = rng.randint(1, 1200)
    exponent = rng.choice([-n, n, -n - 320, 300 - n, rng.randrange(-1500, 1500)])
    match rng.randrange(3):
        case 0:
            return f"{rng.randint(1, 9)}{digits(rng, n)}e{exponent}"
        case 1:
            return f"0.{'0' * n}{digits(rng, rng.randint(1, 900))}e{exponent}"
        case _:
            return f"{rng.randint(1, 9)}{'0' * n}.{'0' * rng.randrange(800)}{rng.choice('01')}e{exponent}"


def an_integer(rng):
    n = rng.choice([2**53, 2**63, 2**64, 10**18, 10**19, 10**20, 10 ** rng.randrange(20), 2 ** rng.randrange(70)])
    return str(rng.choice([n + rng.randrange(-3, 4), n * rng.randrange(-9, 10), rng.randrange(2 * n), -n]))


def like_an_integer(rng):
    return an_integer(rng) + rng.choice(["", ".0", ".5", "e0", "e1", "E-1", ".9999999999999999999", "0e-1"])


def nonsense(rng):
    return "".join(rng.choices("0011239-+..eEE", k=rng.randint(1, 12)))


MAKERS = [
    common,
    common,
    shortest_float,
    shortest_double,
    rounded_double,
    between_doubles,
    any_exponent,
    many_digits,
    like_an_integer,
    nonsense,
]


def make_texts(seed, count):
    rng = random.Random(seed)
    texts = []
    for i in range(count):
        text = MAKERS[i % len(MAKERS)](rng)
        texts.append((f"-{text}" if text[0] != "-" and rng.random() < 0.3 else text).encode())
    return texts


@cache
def many_texts():
    return make_texts(1, 120_000)


def test_numbers(program):
    common, declined = compare(program, many_texts()[: 20_000 if program.checked else None])
    assert common > 1_000
    assert declined < common / 500


def test_every_short_text(program):
    letters = [b"0", b"1", b"7", b"-", b"+", b".", b"e", b"E", b"N", b"I"]
    texts = words = [b""]
    for _ in range(5):
        words = [word + letter for word in words for letter in letters]
        texts = texts + words
    compare(program, program.fewer(texts))


def test_known_numbers(program):
    texts = """
        0 -0 0.0 -0.0 0e5 -0e-5 0.000 1 -1 00 01 -01 1. 1.e5 1e 1e+ 1e- .5 -.5 - -- + +1 1.5.5 1e5e5 1e5.5 0x10 1_0 0e
        NaN -NaN nan Infinity -Infinity infinity -Inf Infinit Infinityx NaNx NaN5 Na N I -I -N NInfinity 1e308
        1.7976931348623157e308 1.7976931348623158e308 1.7976931348623159e308 1e309 1e400 -1e400 1e99999999999999999999
        1e-99999999999999999999 -1e-99999999999999999999 0e99999999999999999999 1e18446744073709551616
        1e-18446744073709551617 1e4294967297 1e-4294967296 1E+00000000000000000000001 1e-400 4.9406564584124654e-324
        2.4703282292062327e-324 2.4703282292062328e-324 2.2250738585072011e-308 2.2250738585072014e-308
        2.225073858507201e-308 9007199254740993 9007199254740992.99999999999999999999 9007199254740993.0
        9007199254740993.00000000000000000000001 9223372036854775807 9223372036854775808 -9223372036854775808
        -9223372036854775809 9223372036854775807.0 9223372036854774784.0 -9223372036854775808.0 -9223372036854777856.0
        1e18 1e19 -1e19 18446744073709551615 18446744073709551616 0.5 0.25 0.1 0.3 1.0 10.0 99.9 100.5
        99.99999999999999999 9.999999999999999999 0.9999999999999999999 0.0999999999999999999 0.99999999999999999999
        5.00000000000000000 17.446744073709551615 6.9294956446009195e15 123456789012345678901234567890 0.1e1 12.5e-1
        8.5:0 1.5/ 1.5; -1.5 1.-5 1.5- 1:5 :.5 /.5 12/5
    """
    compare(program, [text.encode() for text in texts.split()] + [b"", b"\xb0.5", b"1\xae5", b"1.\xb5", b"0.1\x80"])


def test_halfway_of_every_exponent(program):
    texts = []
    for exponent in range(0, 2046, 7):
        for significand in (0, 1, 2, 2**52 - 2, 2**52 - 1):
            x = double(exponent << 52 | significand)
            half = EXACT.multiply(EXACT.add(Decimal(x), Decimal(nextafter(x, inf))), Decimal("0.5"))
            number = f"{half:e}"
            mantissa, _, power = number.partition("e")
            above = f"{mantissa}{'0' * 60}1e{power}" if "." in mantissa else f"{mantissa}.{'0' * 60}1e{power}"
            below = f"{EXACT.subtract(half, Decimal((0, (1,), half.adjusted() - 1000))):e}"
            texts += [number.encode(), above.encode(), below.encode()]
    compare(program, program.fewer(texts))


def test_numbers_of_many_megabytes(program):
    n = 2**19 if program.checked else 2**22
    cases = [
        (b"9" * n, inf, True),
        (b"0." + b"9" * n, 1.0, False),
        (b"0." + b"0" * n, 0.0, False),
        (b"0." + b"0" * n + b"25e%d" % (n + 1), 2.5, False),
        (b"-25" + b"0" * n + b"e-%d" % (n + 1), -2.5, False),
        (b"9007199254740993." + b"0" * n, 9007199254740992.0, False),
        (b"9007199254740993." + b"0" * n + b"1", 9007199254740994.0, False),
        (b"1e-" + b"9" * n, 0.0, False),
        (b"1e" + b"0" * n + b"3", 1000.0, False),
    ]
    answers = program.run_on("numbers", [text for text, _, _ in cases])
    for (text, value, integral), answer in zip(cases, RECORD.iter_unpack(answers), strict=True):
        assert (answer[0], answer[1], bool(answer[4])) == (len(text), bits(value), integral), text[:40]


# -------------------------------------------------------------------------------------------------------------- utf8.h


def compare_utf8(program, texts):
    answers = program.run_on("utf8", texts)
    at = 0
    for text in texts:
        try:
            text.decode()
            place = -1
        except UnicodeDecodeError as error:
            place = error.start
        repaired = text.decode("utf-8", "replace").encode()
        assert struct.unpack_from("=qQ", answers, at) == (place, len(repaired)), text
        at += 16
        assert answers[at : at + len(repaired)] == repaired, text
        at += len(repaired)
    assert at == len(answers)


# The first and last byte of every kind.
EDGES = bytes.fromhex("00 41 7f 80 8f 90 9f a0 bf c0 c1 c2 df e0 e1 ec ed ee ef f0 f1 f3 f4 f5 ff")


def test_utf8_of_every_short_sequence(program):
    pairs = [bytes([a, b]) for a in range(256) for b in range(256)]
    triples = [bytes([a, b, c]) for a in EDGES for b in EDGES for c in EDGES]
    fours = [bytes([a, b, c, d]) for a in EDGES if a >= 0xC0 for b in EDGES for c in EDGES for d in EDGES[1::3]]
    sequences = program.fewer([b"", *map(bytes, zip(range(256))), *pairs, *triples, *fours])
    compare_utf8(program, sequences)
    # Within and between blocks of sixteen, after what the vectors have to look at first.
    rng = random.Random(2)
    around = ["a" * 40, "\u00e4" * 20, "\u4e2d" * 20, "\ud55c" * 20, "\U0001f600" * 20, "ab\u4e2d" * 10]
    texts = []
    for sequence in sequences:
        text = rng.choice(around)
        at = rng.randrange(len(text))
        texts.append(text[:at].encode() + sequence + rng.choice(around)[: rng.randrange(40)].encode())
    compare_utf8(program, texts)


def test_utf8_of_random_texts(program):
    rng = random.Random(3)
    alphabets = [
        "abc \n",
        "\u4e2d\u6587\u5b57",
        "\ud55c\uad6d\uc5b4",
        "\u0e44\u0e17\u0e22",
        "\u00e4\u00f6",
        "\U0001f600",
    ]
    alphabets.append("".join(alphabets))
    texts = []
    for i in range(3_000 if program.checked else 20_000):
        text = bytearray("".join(rng.choices(rng.choice(alphabets), k=rng.randrange(rng.choice([20, 200])))), "utf-8")
        for _ in range(i % 4):
            if text:
                at = rng.randrange(len(text))
                match rng.randrange(3):
                    case 0:
                        text[at] = rng.choice(EDGES)
                    case 1:
                        del text[at]
                    case 2:
                        text[at:at] = rng.choices(EDGES, k=rng.randint(1, 4))
        texts.append(bytes(text))
    texts += [bytes(rng.choices(EDGES, k=rng.randrange(100))) for _ in range(2_000)]
    texts += [rng.randbytes(rng.randrange(100)) for _ in range(2_000)]
    compare_utf8(program, texts)


def test_join_surrogates(program):
    rng = random.Random(4)
    alphabets = [
        "a\ud83d\ude00",
        "\ud800\udbff\udc00\udfff",
        "\ud55c\ud7ff\ue000\ud83d\ude00\u4e2d\U0001f600xyz",
        "\ud7a3",
    ]
    strings = ["".join(rng.choices(rng.choice(alphabets), k=rng.randrange(40))) for _ in range(20_000)]
    strings += [chr(high) + chr(low) for high in range(0xD800, 0xDC00, 31) for low in range(0xDC00, 0xE000, 29)]
    answers = program.run_on("join", [string.encode("utf-8", "surrogatepass") for string in strings])
    at = 0
    for string in strings:
        paired = re.sub(
            "[\ud800-\udbff][\udc00-\udfff]",
            lambda pair: pair.group().encode("utf-16", "surrogatepass").decode("utf-16"),
            string,
        )
        joined = re.sub("[\ud800-\udfff]", "\ufffd", paired).encode()
        assert struct.unpack_from("=Q", answers, at) == (len(joined),), ascii(string)
        at += 8
        assert answers[at : at + len(joined)] == joined, ascii(string)
        at += len(joined)
    assert at == len(answers)


# ------------------------------------------------------------------------------------------------------------- by hand


def main(count):
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "primitives"
        done = compile_program(path, BUILDS["vectors"])
        assert done.returncode == 0, done.stderr
        program = Program(path)
        seed = random.randrange(10**6)
        total = decimals = declined = 0
        while total < count:
            texts = make_texts(seed, min(100_000, count - total))
            some, few = compare(program, texts)
            total, decimals, declined, seed = total + len(texts), decimals + some, declined + few, seed + 1
            print(f"\r{total} numbers, {decimals} common decimals, {declined} of them declined", end="", flush=True)
        print()


if __name__ == "__main__":
    main(int(sys.argv[1]))
