"""FlatBuffers' wire format, read and written: tables with vtables, vectors and strings.

A table begins with the distance back to its vtable. The vtable holds its own size, the table's, and for each field
where in the table it lies, 0 if it is absent. Everything that is not a number is a 32-bit distance forward.
"""
import struct

import numpy


class Table:
    """A table of a file in memory."""

    def __init__(self, data, at):
        self.data, self.at = data, at

    @staticmethod
    def root(data):
        """The outermost table."""
        return Table(data, struct.unpack_from("<I", data)[0])

    def number(self, kind, at):
        """The number at a position; `kind` is a letter of the struct module."""
        return struct.unpack_from("<" + kind, self.data, at)[0]

    def position(self, field):
        """Where a field lies, or None if it is absent."""
        vtable = self.at - self.number("i", self.at)
        if 4 + 2 * field >= self.number("H", vtable):
            return None
        offset = self.number("H", vtable + 4 + 2 * field)
        return self.at + offset if offset else None

    def scalar(self, field, kind, default=0):
        """A field that is a number."""
        at = self.position(field)
        return default if at is None else self.number(kind, at)

    def target(self, field):
        """What a field points at, or None."""
        at = self.position(field)
        return None if at is None else at + self.number("I", at)

    def table(self, field):
        """A field that is a table, or None."""
        at = self.target(field)
        return None if at is None else Table(self.data, at)

    def vector(self, field, dtype):
        """A field that is a vector of numbers, as an array; empty if it is absent."""
        at = self.target(field)
        if at is None:
            return numpy.zeros(0, dtype)
        return numpy.frombuffer(self.data, numpy.dtype(dtype).newbyteorder("<"), self.number("I", at), at + 4)

    def text(self, field):
        """A field that is a string; empty if it is absent."""
        return self.vector(field, numpy.uint8).tobytes().decode("utf-8", "replace")

    def tables(self, field):
        """A field that is a vector of tables."""
        at = self.target(field)
        if at is None:
            return []
        entries = range(at + 4, at + 4 + 4 * self.number("I", at), 4)
        return [Table(self.data, entry + self.number("I", entry)) for entry in entries]


class Scalar:
    """A number to write, of one letter of the struct module."""

    def __init__(self, kind, value):
        self.kind, self.value = kind, value

    def size(self):
        """Bytes in the table."""
        return struct.calcsize(self.kind)


class Vector:
    """A vector to write: an array of numbers, or a list of dictionaries, which are tables."""

    def __init__(self, content, alignment=4):
        self.content, self.alignment = content, alignment


def string(text):
    """A string to write: bytes with a terminator that the length does not count."""
    return text.encode() + b"\0"


class Writer:
    """Writes front to back: an object is placed after everything that points at it, and the pointers are patched."""

    def __init__(self):
        self.out = bytearray()

    def align(self, alignment, ahead=0):
        """Pads until the position `ahead` bytes further is a multiple."""
        while (len(self.out) + ahead) % alignment:
            self.out.append(0)

    def patch(self, at):
        """Points the field at `at` to the present end."""
        struct.pack_into("<I", self.out, at, len(self.out) - at)

    def write(self, root, identifier=b"TFL3"):
        """The bytes of a file whose outermost table is the dictionary `root`: field number to content."""
        self.out += bytes(4) + identifier
        self.table(root, 0)
        self.align(8)
        return bytes(self.out)

    def table(self, fields, pointer):
        """One table: its vtable, its fields, then all that it points at."""
        fields = {number: content for number, content in fields.items() if content is not None}
        sizes = {number: content.size() if isinstance(content, Scalar) else 4 for number, content in fields.items()}
        places, end = {}, 4
        for number, size in sorted(sizes.items(), key=lambda entry: -entry[1]):
            end += -end % size
            places[number] = end
            end += size
        count = max(fields, default=-1) + 1
        self.align(8, 4 + 2 * count)
        vtable = len(self.out)
        self.out += struct.pack("<HH", 4 + 2 * count, end)
        self.out += struct.pack(f"<{count}H", *(places.get(number, 0) for number in range(count)))
        self.patch(pointer)
        start = len(self.out)
        self.out += struct.pack("<i", start - vtable) + bytes(end - 4)
        for number, content in fields.items():
            if isinstance(content, Scalar):
                struct.pack_into("<" + content.kind, self.out, start + places[number], content.value)
        for number, content in fields.items():
            if not isinstance(content, Scalar):
                self.reference(content, start + places[number])

    def reference(self, content, pointer):
        """What a field points at."""
        if isinstance(content, dict):
            self.table(content, pointer)
        elif isinstance(content, bytes):
            self.align(4)
            self.patch(pointer)
            self.out += struct.pack("<I", len(content) - 1) + content
        elif isinstance(content.content, list):
            self.align(4)
            self.patch(pointer)
            self.out += struct.pack("<I", len(content.content))
            first = len(self.out)
            self.out += bytes(4 * len(content.content))
            for index, entry in enumerate(content.content):
                self.reference(entry, first + 4 * index)
        else:
            self.align(max(4, content.alignment), 4)
            self.patch(pointer)
            self.out += struct.pack("<I", len(content.content)) + content.content.tobytes()
