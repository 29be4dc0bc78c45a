"""A sink's log of rejects, read as docs/formats/rejects.md has it."""

from typing import NamedTuple


class Reject(NamedTuple):
    dataset: str
    source: str
    topic: str
    reason: str
    detail: str
    payload: str


def read(log):
    rejects, rest = [], log.read_bytes().removeprefix(b"TDMKREJ1")
    while rest:
        size = int.from_bytes(rest[:4], "little")
        body, rest = rest[8 : 8 + size], rest[8 + size :]
        if body[0] == 1:  # 2 is a mark
            _, times = varint(body[9:])
            rejects.append(Reject(*texts(times[9:])))
    return rejects


def varint(data):
    """(value, what follows it)"""
    value, shift = 0, 0
    for i, byte in enumerate(data):
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, data[i + 1 :]
    raise ValueError("a varint that does not end")


def texts(data):
    while data:
        size, data = varint(data)
        yield data[:size].decode()
        data = data[size:]
