"""JSON values that RFC 8259 takes (y), refuses (n), or leaves to the reader (i), in the manner of JSONTestSuite.

Each stands where a value stands, so none of them completes what is around it. A case is bytes; its name says the rule.
"""

from __future__ import annotations

TAKEN: dict[str, bytes] = {
    "array empty": b"[]", "array of arrays": b"[[],[[]],[[[]]]]", "array with blanks": b" [ 1 , 2 ] ", "array of null": b"[null]",
    "array of all kinds": b'[null,true,false,0,-1.5e3,"",{},[]]', "array with a blank in it": b"[ ]", "array after tabs": b"\t\t[1]\t",
    "object empty": b"{}", "object with a blank in it": b"{ }", "object of one": b'{"a":1}', "object in object": b'{"a":{"b":{"c":{}}}}',
    "object with an empty key": b'{"":0}', "object with a key twice": b'{"a":1,"a":2}', "object with equal pairs": b'{"a":1,"a":1}',
    "object with an escaped key": b'{"\\u0061\\n\\"":1}', "object with a NUL in a key": b'{"a\\u0000b":1}', "object with blanks": b' { "a" : 1 , "b" : [ ] } ',
    "object with a long key": b'{"' + b"k" * 300 + b'":1}', "object with a key of brackets": b'{"[{]}":1}', "object with a key of a name": b'{"choices":[],"token":3}',
    "zero": b"0", "minus zero": b"-0", "one": b"1", "minus one": b"-1", "many digits": b"1" * 400, "twenty digits": b"12345678901234567890",
    "fraction": b"0.5", "fraction of zeros": b"0.000", "minus fraction": b"-0.0", "long fraction": b"0." + b"123456789" * 90, "exponent": b"1e5", "capital exponent": b"1E5",
    "exponent with plus": b"1e+5", "exponent with minus": b"1E-5", "exponent of zero": b"0e0", "exponent with zeros": b"1e0005", "zero exponent with plus": b"0E+1",
    "fraction and exponent": b"-12.34e-56", "exponent of 20 digits": b"1e-" + b"9" * 20, "exponent beyond all": b"0e" + b"9" * 30, "smallest": b"5e-324", "largest": b"1.7976931348623157e308",
    "string empty": b'""', "string of a blank": b'" "', "string of a solidus": b'"/"', "string of escapes": b'"\\"\\\\\\/\\b\\f\\n\\r\\t"', "string escaped": b'"\\u0041\\u00e9\\u20AC"',
    "string of a pair": b'"\\uD83D\\uDE00"', "string of a small pair": b'"\\ud801\\udc37"', "string of NUL": b'"\\u0000"', "string of escaped backslash and u": b'"\\\\u0041"',
    "string of two bytes": b'"\xc3\xa9"', "string of three bytes": b'"\xe2\x82\xac"', "string of four bytes": b'"\xf0\x9f\x98\x80"', "string of DEL": b'"\x7f"', "string of U+2028": b'"\xe2\x80\xa8\xe2\x80\xa9"',
    "string of U+FFFF": b'"\xef\xbf\xbf"', "string of a mark": b'"\xef\xbb\xbf"', "string of brackets": b'"]}],{["', "string of a comment": b'"/* a */ // b"',
    "string of sixteen": b'"' + b"0123456789abcdef" + b'"', "string of sixteen and an escape": b'"0123456789abcde\\n"', "string with a quote last": b'"' + b"x" * 31 + b'\\""', "string with escapes around a block": b'"\\n' + b"y" * 14 + b'\\u00e9z"',
    "true": b"true", "false": b"false", "null": b"null", "nested 200 deep": b"[" * 200 + b"]" * 200, "objects 100 deep": b'{"a":' * 100 + b"1" + b"}" * 100,
}  # fmt: skip

REFUSED: dict[str, bytes] = {
    "nothing": b"", "a blank": b" ", "a comma": b",", "two values": b"1 2", "two strings": b'"a" "b"', "a colon": b"1:2", "garbage behind": b"1x", "garbage behind a string": b'"a"x', "garbage behind null": b"nullx",
    "array not closed": b"[1", "array closed by a brace": b"[1}", "array closed twice": b"[1]]", "array with a comma last": b"[1,]", "array with a comma first": b"[,1]", "array with two commas": b"[1,,2]", "array of a comma": b"[,]",
    "array without a comma": b"[1 2]", "array with a colon": b'["a":1]', "array not begun": b"1]", "array of garbage": b"[a]", "array opened twice": b"[[]", "array of a star": b"[*]", "array with a form feed": b"[\f1]", "array with a vertical tab": b"[1\v]",
    "array with a no-break space": b"[\xc2\xa01]", "array with a wide space": b"[\xe3\x80\x80]", "array with a mark": b"[\xef\xbb\xbf]", "array with a NUL": b"[1\x00]", "array of a minus": b"[-]", "array with a comment": b"[1/* one */]", "array with a line comment": b"[1 // one]",
    "object not closed": b'{"a":1', "object closed by a bracket": b'{"a":1]', "object with a comma last": b'{"a":1,}', "object with a comma first": b'{,"a":1}', "object with two commas": b'{"a":1,,"b":2}', "object without a colon": b'{"a" 1}', "object with two colons": b'{"a"::1}',
    "object without a value": b'{"a":}', "object without a key": b'{:1}', "object with a bare key": b"{a:1}", "object with a quoted key": b"{'a':1}", "object with a number as key": b"{1:1}", "object with null as key": b"{null:1}", "object with an array as key": b"{[]:1}",
    "object of a key": b'{"a"}', "object of a comma": b"{,}", "object with a value for a key": b'{"a":1,2}', "object with a semicolon": b'{"a":1;"b":2}', "object without a comma": b'{"a":1 "b":2}', "object with an equals sign": b'{"a"=1}', "object with a bad escape in a key": b'{"\\x":1}', "object with a control character in a key": b'{"a\x01":1}',
    "object with a key not closed": b'{"a:1}', "object with a star": b'{"a":1*}', "object with three dots": b'{"a":1,...}', "braces crossed": b'{"a":[}]',
    "plus one": b"+1", "plus plus": b"++1", "minus minus": b"--1", "minus alone": b"-", "minus a letter": b"-x", "minus a blank": b"- 1", "zero one": b"01", "minus zero one": b"-01", "zero zero": b"00", "zero zero point": b"00.5", "point alone": b".", "point first": b".5", "minus point": b"-.5", "point last": b"1.", "point and exponent": b"1.e5", "zero point exponent": b"0.e1", "two points": b"1.2.3", "exponent alone": b"e5",
    "exponent without digits": b"1e", "exponent with a sign alone": b"1e+", "exponent of two signs": b"1e+-5", "exponent with a point": b"1e5.5", "two exponents": b"1e5e5", "capital exponent without digits": b"1.5E", "hexadecimal": b"0x1F", "octal": b"0o17", "underscore": b"1_000", "comma for a point": b"1,5e", "blank in a number": b"1 .5", "letter in a number": b"1a2", "fullwidth digit": b"\xef\xbc\x91", "arabic digit": b"\xd9\xa1", "infinity sign": b"\xe2\x88\x9e", "plus infinity": b"+Infinity", "minus NaN": b"-NaN", "small nan": b"nan", "small infinity": b"infinity", "short infinity": b"Infinit", "inf": b"inf", "long NaN": b"NaNs", "NaN of capitals": b"NAN",
    "string not closed": b'"a', "string not begun": b'a"', "string of one quote": b"'a'", "string with a typographic quote": b"\xe2\x80\x9ca\xe2\x80\x9d", "string with a tab": b'"a\tb"', "string with a NUL": b'"a\x00b"', "string with a unit separator": b'"\x1f"', "string with escape x": b'"\\x41"', "string with escape a": b'"\\a"', "string with escape 0": b'"\\0"', "string with escape quote": b"\"\\'\"", "string with escape blank": b'"\\ "', "string with escape U": b'"\\U0041"', "string with escape of a byte": b'"\\\xc3\xa9"', "string with escape of a NUL": b'"\\\x00"', "string with escape of a tab": b'"\\\t"',
    "string with u and nothing": b'"\\u"', "string with u and one": b'"\\u0"', "string with u and three": b'"\\u004"', "string with u and a letter": b'"\\u00g0"', "string with u and a sign": b'"\\u+041"', "string with u and a blank": b'"\\u 041"', "string with u and an underscore": b'"\\u0_41"', "string with u over the end": b'"\\u00"41', "string with half a pair": b'"\\ud83d\\u"', "string with half a pair and a letter": b'"\\ud83d\\ux"', "string with a backslash last": b'"\\"', "string with three backslashes": b'"\\\\\\"', "string in braces": b'{"a"', "string with a bad escape late": b'"' + b"x" * 40 + b'\\q"', "string with a control character late": b'"' + b"x" * 40 + b'\x02"', "string with a control character in a block": b'"0123456789abcde\x1f0123456789"',
    "capital true": b"True", "capitals": b"TRUE", "capital null": b"Null", "short true": b"tru", "short false": b"fals", "short null": b"nul", "long true": b"truee", "true and null": b"truenull", "none": b"None", "undefined": b"undefined", "a word": b"word", "yes": b"yes", "an ampersand": b"&", "a backslash": b"\\", "a backslash n": b"\\n", "a hash": b"#", "a comment": b"/**/", "a comment and a value": b"/* */1", "a line comment": b"//", "angle brackets": b"<null>", "a mark and a value": b"\xef\xbb\xbf1", "a word joiner": b"\xe2\x81\xa0", "NUL": b"\x00", "a bell": b"\x07", "DEL": b"\x7f", "bad UTF-8 alone": b"\xff", "half a character alone": b"\xc3",
}  # fmt: skip

LEFT: dict[str, bytes] = {
    # accepted, as Python's json does and the documentation says
    "NaN": b"NaN", "Infinity": b"Infinity", "minus Infinity": b"-Infinity", "overflow": b"1e400", "minus overflow": b"-1e400", "underflow": b"1e-400", "an integer of 1,000 digits": b"9" * 1000,
    "a high surrogate alone": b'"\\ud83d"', "a low surrogate alone": b'"\\ude00"', "surrogates in the wrong order": b'"\\ude00\\ud83d"', "two high surrogates": b'"\\ud83d\\ud83d"', "a surrogate and a letter": b'"\\ud83da"', "a surrogate key": b'{"\\udfff":1}',
}  # fmt: skip

REPAIRED: dict[str, bytes] = {
    # invalid UTF-8 inside a string: read with U+FFFD, and one `encoding` problem
    "a lone byte": b'"\xff"', "a lone continuation": b'"\x80"', "two bytes cut": b'"\xc3"', "three bytes cut": b'"\xe2\x82"', "four bytes cut": b'"\xf0\x9f\x98"', "overlong": b'"\xc0\xaf"', "overlong of three": b'"\xe0\x80\xaf"', "a surrogate": b'"\xed\xa0\x80"', "beyond Unicode": b'"\xf4\x90\x80\x80"', "five bytes": b'"\xf8\x88\x80\x80\x80"', "Latin-1": b'"caf\xe9"', "in a key": b'{"\xff":1}', "late": b'"' + b"x" * 50 + b'\xe2"',
}  # fmt: skip
