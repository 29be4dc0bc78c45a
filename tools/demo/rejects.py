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
            dataset, rest_of_body = text(times[9:])
            _, rest_of_body = varint(rest_of_body)  # the version of its schema
            rejects.append(Reject(dataset, *texts(rest_of_body)))
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


def text(data):
    """(text, what follows it)"""
    size, data = varint(data)
    return data[:size].decode(), data[size:]


def texts(data):
    while data:
        one, data = text(data)
        yield one
