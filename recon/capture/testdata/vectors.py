#!/usr/bin/env python3
"""Writes vectors.jsonl: events, and the attempt id that the original hooks gave them.

The hooks computed it as below, so Python itself is the authority. Run it with Python 3.11 or later:

    python3 vectors.py > vectors.jsonl

The events are hand-picked edges first, then random ones from a fixed seed.
"""
import base64
import hashlib
import json
import random
import sys


def attempt_id(raw):
    event = json.loads(raw.decode("utf-8"))
    given = event.get("tool_use_id")
    if given:
        return "tool_use_id", given, None
    canonical = json.dumps(
        [event["session_id"], event["tool_name"], event["tool_input"]], sort_keys=True, separators=(",", ":")
    )
    return "fallback", hashlib.sha256(canonical.encode()).hexdigest(), canonical


def write(name, raw):
    try:
        source, identity, canonical = attempt_id(raw)
    except (ValueError, KeyError, AttributeError, RecursionError):
        source, identity, canonical = "error", None, None
    vector = {"name": name, "raw_b64": base64.b64encode(raw).decode(), "source": source, "attempt_id": identity}
    if canonical is not None:
        vector["canonical"] = canonical
    print(json.dumps(vector))


def event(args, head=b'"session_id":"s-7","tool_name":"pay"'):
    return b"{" + head + b',"tool_input":' + args + b"}"


ARGS = [
    # numbers
    b"0", b"-0", b"-1", b"10", b"9007199254740993", b"-18446744073709551617", b"1" * 41, b"1" * 4300, b"1" * 4301,
    b"0.0", b"-0.0", b"1.0", b"1.50", b"100e-2", b"1E5", b"1e+5", b"1e15", b"1e16", b"9007199254740993.0", b"123456789012345680.0",
    b"1e21", b"1e22", b"1.7976931348623157e308", b"1.8e308", b"-2e308", b"4.9e-324", b"2e-324", b"-1e-999", b"0.0001",
    b"0.00012", b"0.00009999", b"1e-10", b"3.141592653589793238", b"0.1", b"2.675", b"5e-5", b"NaN", b"Infinity", b"-Infinity",
    b"00", b"01", b"-", b"-01", b"+1", b".5", b"5.", b"1e", b"1e+", b"0x10", b"1_000", b"nan", b"-NaN", b"inf", b"Infinity1",
    # strings
    b'""', b'"a\\/b/c"', b'"\\b\\f\\n\\r\\t\\"\\\\"', b'"\\u0000\\u001f"', b'"\x7f"', b'"\\u007f\\u0080"',
    '"é ß ž"'.encode(), '"e\u0301"'.encode(), '"\u2028\u2029"'.encode(), '"<script>&\'"'.encode(), '"\U0001f4b8 \U0010ffff"'.encode(),
    b'"\\ud83d\\udcb8"', b'"\\uD83D\\uDCB8"', b'"\\ud83d"', b'"\\udcb8"', b'"\\ud83d\\ud83d\\udcb8"', b'"\\udcb8\\ud83d"',
    b'"\\ud83d\\n"', b'"\\ud83dx\\udcb8"', '"\ufffd"'.encode(), '"\uffff\ufffe"'.encode(), '"\ufeff"'.encode(),
    b'"\\u00e"', b'"\\u00eg"', b'"\\x41"', b'"\\"', b'"open', b'"a\tb"', b'"a\nb"', b'"\xff"', b'"\xed\xa0\xbd"', b'"\xc0\xaf"', b"'a'",
    # objects and lists
    b"{}", b"[]", b"[[],{},[{}]]", b'{"b":1,"a":2}', b'{"a":1,"A":2,"_":3,"1":4,"":5}', b'{"a":{"x":1},"a":{"y":2}}',
    b'{"\\u0061":1,"a":2,"b":3}', '{"\uffff":1,"\U0001f4b8":2,"\ud7ff":3,"\ue000":4}'.encode(),
    b'{"\\ud800":1,"\\udfff":2,"\\ud7ff":3,"\\ue000":4,"\\ud801":5}', b'{"z":[3,1,{"k":null,"j":true}],"y":false}',
    b" \t\r\n { \"a\" : [ 1 , 2 ] } ", b"[1,]", b"[,1]", b'{"a":1,}', b'{"a"}', b'{"a" 1}', b"{a:1}", b"[1 2]", b"[1", b"{", b"]",
    b"\x0b1", b"\xa01", b"[" * 300 + b"]" * 300, b"[" * 4000 + b"]" * 4000, b"truefalse", b"True", b"nul", b"",
    b'{"amount_cents":781200,"currency":"EUR","dest_account":"NL02ABNA0123456789","ref":"R-1","idempotency_key":"ag00"}',
]

HEADS = [
    b'"session_id":null,"tool_name":"pay"', b'"session_id":12.0,"tool_name":"pay"', b'"session_id":"","tool_name":""',
    b'"session_id":"s","tool_name":["x"]', b'"tool_name":"pay"', b'"session_id":"s"',
    b'"session_id":"s","tool_name":"pay","tool_use_id":"toolu_02own"', b'"session_id":"s","tool_name":"pay","tool_use_id":" "',
    b'"session_id":"s","tool_name":"pay","tool_use_id":null', b'"session_id":"s","tool_name":"pay","tool_use_id":""',
    b'"session_id":"s","tool_name":"pay","tool_use_id":0', b'"session_id":"s","tool_name":"pay","tool_use_id":-0.0',
    b'"session_id":"s","tool_name":"pay","tool_use_id":[]', b'"session_id":"s","tool_name":"pay","tool_use_id":false',
    b'"session_id":"s","tool_name":"pay","tool_use_id":"","tool_use_\\u0069d":"second"',
    b'"session_id":"s","tool_name":"pay","tool_use_id":"first","tool_use_id":null', b'"session_id":"s","tool_name":"pay","TOOL_USE_ID":"x"',
    b'"session_id":"s","tool_name":"pay","tool_use_id":"two\\nlines"',
]


def random_text(r):
    alphabet = ["a", "Z", "0", " ", "\"", "\\", "/", "\n", "\x00", "\x7f", "é", "\u2028", "\ud83d", "\udcb8", "\ue000", "\uffff", "\U0001f4b8"]
    return "".join(r.choice(alphabet) for _ in range(r.randrange(6)))


def random_value(r, depth=0):
    pick = r.randrange(7 if depth < 4 else 5)
    if pick == 0:
        return r.choice([None, True, False])
    if pick == 1:
        return r.randrange(-(10 ** r.randrange(1, 30)), 10 ** r.randrange(1, 30))
    if pick == 2:
        return r.uniform(-1, 1) * 10.0 ** r.randrange(-30, 30)
    if pick in (3, 4):
        return random_text(r)
    if pick == 5:
        return [random_value(r, depth + 1) for _ in range(r.randrange(4))]
    return {random_text(r): random_value(r, depth + 1) for _ in range(r.randrange(5))}


def random_raw(r):
    """Random JSON, sometimes with raw characters instead of escapes."""
    fields = {"session_id": random_text(r), "tool_name": random_text(r), "tool_input": random_value(r)}
    text = json.dumps(fields, ensure_ascii=r.random() < 0.5, indent=r.choice([None, 1]))
    # A surrogate cannot be written raw.
    return "".join("\\u%04X" % ord(c) if 0xD800 <= ord(c) < 0xE000 else c for c in text).encode("utf-8")


def main():
    for args in ARGS:
        write("args " + args[:30].decode("ascii", "backslashreplace"), event(args))
    for head in HEADS:
        write("head " + head[:80].decode(), event(b'{"amount_cents":1}', head))
    for raw in [b"", b" ", b"[]", b"null", b"\xef\xbb\xbf" + event(b"1"), event(b"1") + b"x", event(b"1") + event(b"1"), b"\x00" + event(b"1")]:
        write("document " + raw[:20].decode("ascii", "backslashreplace"), raw)
    r = random.Random(20250219)
    for i in range(int(sys.argv[1]) if len(sys.argv) > 1 else 120):
        write("random %d" % i, random_raw(r))


main()
