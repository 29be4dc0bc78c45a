"""One data set with a field of every type, and rows whose values a reader must give exactly."""

import datetime
import decimal
import struct

UTC = datetime.timezone.utc
TYPES = {
    "b": "bool", "i8": "i8", "i16": "i16", "i32": "i32", "i64": "i64", "u8": "u8", "u16": "u16", "u32": "u32",
    "f32": "f32", "f64": "f64", "d9": "decimal(9,2)", "d18": "decimal(18,4)", "d38": "decimal(38,10)",
    "s": "string", "bin": "binary", "ts": "timestamp", "day": "date", "j": "json",
}  # fmt: skip
U64 = {"u64": "u64"}


def datasets(types):
    fields = ", ".join(
        f'{{ id: {1000 + i}, name: {name}, type: "{kind}" }}' for i, (name, kind) in enumerate(types.items())
    )
    return f"[{{ id: all, fields: [{fields}] }}]"


def f32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


# Text of the JSON value, and the value a reader must give.
ROWS = [
    {"b": ("true", True), "i8": ("-128", -128), "i16": ("-32768", -32768), "i32": ("-2147483648", -(2**31)),
     "i64": ("-9223372036854775808", -(2**63)), "u8": ("255", 255), "u16": ("65535", 65535), "u32": ("4294967295", 2**32 - 1),
     "f32": ("0.1", f32(0.1)), "f64": ("0.1", 0.1), "d9": ("-9999999.99", decimal.Decimal("-9999999.99")),
     "d18": ("99999999999999.9999", decimal.Decimal("99999999999999.9999")),
     "d38": ("-1234567890123456789012345678.0123456789", decimal.Decimal("-1234567890123456789012345678.0123456789")),
     "s": ('"Zo\\u00eb \\ud83c\\udf0a \\"q\\""', 'Zoë 🌊 "q"'), "bin": ('"/wAB"', b"\xff\x00\x01"),
     "ts": ('"2026-11-30T10:00:00.123456Z"', datetime.datetime(2026, 11, 30, 10, 0, 0, 123456, UTC)),
     "day": ('"1969-12-31"', datetime.date(1969, 12, 31)), "j": ('{"a": [1, 273.90]}', '{"a": [1, 273.90]}'),
     "u64": ("18446744073709551615", 2**64 - 1)},
    {"b": ("false", False), "i8": ("127", 127), "i16": ("1e3", 1000), "i32": ("7.0", 7),
     "i64": ("9007199254740993", 9007199254740993), "u8": ("0", 0), "u16": ("0", 0), "u32": ("2147483648", 2**31),
     "f32": ("-3.4028235e38", f32(-3.4028235e38)), "f64": ("1.7976931348623157e308", 1.7976931348623157e308),
     "d9": ("0.01", decimal.Decimal("0.01")), "d18": ("-1", decimal.Decimal("-1.0000")),
     "d38": ("1e-10", decimal.Decimal("0.0000000001")), "s": ('""', ""), "bin": ('""', b""),
     "ts": ('"1969-12-31T23:59:59.999999-00:00"', datetime.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC)),
     "day": ('"2026-11-30"', datetime.date(2026, 11, 30)), "j": ('"t\\u0065xt"', '"t\\u0065xt"'),
     "u64": ("9223372036854775808", 2**63)},
    {},
]  # fmt: skip


def line(row, types):
    return "{" + ", ".join(f'"{name}": {row[name][0]}' for name in types if name in row) + "}"


def values(rows, names):
    """What a reader must give for these rows."""
    return [[row[name][1] if name in row else None for name in names] for row in rows]


def utc(value):
    if isinstance(value, datetime.datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).astimezone(UTC)
    return value
