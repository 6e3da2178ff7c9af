"""What a linked image is made of: the linker's map, read back, and the layer that every piece belongs to."""
import dataclasses
import pathlib
import re
import subprocess

from boards import boards

# The first pattern that matches an object's path names its layer. Objects of libraries are "library.a(object)".
LAYERS = (
    ("rule texts", r"libpianola_runtime\.a\(rule_text\."),
    ("C API", r"libpianola_c\.a\("),
    ("digest", r"libpianola_runtime\.a\((sha256|file_digest)\."),
    ("session", r"libpianola_runtime\.a\((session|load|execution|prologue|seal_and_latch|self_check|zero_copy)\."),
    ("session", r"libpianola_runtime\.a\((comparison|parameter_words|scrub|seal)\."),
    ("validator", r"libpianola_runtime\.a\(|/pianola_without_\w+\.dir/"),
    ("signatures", r"libpianola_(bearssl|crypto)\.a\("),
    ("kernels", r"libpianola_kernels\.a\(|/road_signs_rom\.cpp\."),
    ("command set", r"libpianola_refdev\.a\(refdev_command_set\."),
    ("command set", r"libpianola_pl330\.a\((command_set|encoding)\."),
    ("driver", r"libpianola_pl330\.a\(driver\."),
    ("device side", r"libpianola_refdev\.a\((command_processor|device_core|execution_log)\."),
    ("driver", r"libpianola_refdev\.a\((refdev_driver|device_spec)\."),
    ("application", r"libpianola_refdev\.a\(faulty_driver\."),
    ("trace binary", r"/road_signs(_unsigned|_c99)?\.[Sc]\."),
    ("application", r"libpianola_port_kit\.a\("),
    ("arch", r"(^|/)hal/arch/"),
    ("board", r"(^|/)hal/"),
    ("application", r"(^|/)(tests|docs|sample)/"),
    ("other library", r"/peer/[^/]+/(libpeer\.a\(|driver\.o$)"),
    ("toolchain", r"lib(c|gcc)\.a\(|^linker stubs$"),
)
LAYER_NAMES = tuple(dict.fromkeys(name for name, _ in LAYERS))

OUTPUT = re.compile(r"^(\.[\w.]+)(?:\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)(?: load address 0x[0-9a-f]+)?)?$")
INPUT = re.compile(r"^ (\S+)(?:\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)\s+(\S.*))?$")
CONTINUED = re.compile(r"^\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)(?:\s+(\S.*))?$")
FILL = re.compile(r"^ \*fill\*\s+0x([0-9a-f]+)\s+0x([0-9a-f]+)")
# A global symbol of the input section above it. What a script assigns has " = ".
SYMBOL = re.compile(r"^\s{2,}0x[0-9a-f]+\s+(?!0x)(\S(?:(?! = ).)*)$")
# Output sections that are not loaded: their addresses are offsets.
NOT_LOADED = re.compile(r"\.(debug_|comment|note|riscv\.attributes|ARM\.attributes|symtab|strtab|shstrtab)")


@dataclasses.dataclass(frozen=True)
class Piece:
    """An input section that the linker kept: one function or object, with -ffunction-sections."""

    output: str
    name: str
    address: int
    size_bytes: int
    origin: str  # the object file
    names: tuple = ()  # the global symbols in it, readable

    @property
    def layer(self):
        """The layer of its object."""
        for name, pattern in LAYERS:
            if re.search(pattern, self.origin):
                return name
        raise ValueError(f"{self.origin}: of no layer; extend LAYERS in {pathlib.Path(__file__).name}")


@dataclasses.dataclass
class LinkMap:
    """Output sections with address and size, and the pieces in them."""

    sections: dict
    pieces: list

    def inside(self, output):
        """The pieces of one output section that have bytes."""
        return [piece for piece in self.pieces if piece.output == output and piece.size_bytes > 0]


def parse(text):
    """A LinkMap from the text of a GNU linker's map."""
    lines = iter(text[text.index("Linker script and memory map"):].splitlines())
    result, output = LinkMap({}, []), None
    for line in lines:
        found = OUTPUT.match(line)
        if found:
            output = found.group(1)
            numbers = found.groups()[1:] if found.group(2) else CONTINUED.match(next(lines, "")) or (None, None)
            address, size = numbers if isinstance(numbers, tuple) else numbers.groups()[:2]
            if size is not None:
                result.sections[output] = (int(address, 16), int(size, 16))
            continue
        found = INPUT.match(line)
        if output is None or not found or FILL.match(line) or found.group(1).startswith("*"):
            add_name(result.pieces, line)
            continue
        name, address, size, origin = found.groups()
        if address is None:
            rest = CONTINUED.match(next(lines, ""))
            if not rest:
                continue
            address, size, origin = rest.groups()
        if origin:
            result.pieces.append(Piece(output, name, int(address, 16), int(size, 16), origin))
    result.pieces = without_overlaps(result.pieces)
    return result


def add_name(pieces, line):
    """Where the line of a map is a symbol, it is one of the last piece."""
    found = SYMBOL.match(line)
    if found and pieces:
        pieces[-1] = dataclasses.replace(pieces[-1], names=(*pieces[-1].names, found.group(1)))


def without_overlaps(pieces):
    """The same pieces, each at most up to the next: strings that the linker has merged still have their old sizes in
    the map."""
    ordered = sorted((piece for piece in pieces if piece.size_bytes > 0), key=lambda piece:
                     (piece.output, piece.address))
    return [
        dataclasses.replace(piece, size_bytes=min(piece.size_bytes, following.address - piece.address))
        if following is not None and following.output == piece.output else piece
        for piece, following in zip(ordered, [*ordered[1:], None])
    ]


def read(image):
    """The map beside an image."""
    return parse(pathlib.Path(image).with_suffix(".map").read_text(encoding="utf-8"))


def undefined(image, board):
    """Names that an image refers to and does not define; weak ones, the linker leaves at that."""
    run = subprocess.run([boards()[board].arch.binutils + "nm", "--undefined-only",
                          str(image)], check=True, capture_output=True, text=True)
    return [line.split()[-1] for line in run.stdout.splitlines() if line.strip()]


def symbols(image, board):
    """{name: (address, size in bytes)} of what an image defines, as the linker knows the names; size 0 where it has
    none."""
    run = subprocess.run([boards()[board].arch.binutils + "nm", "--print-size",
                          str(image)], check=True, capture_output=True, text=True)
    result = {}
    for line in run.stdout.splitlines():
        words = line.split()
        if len(words) in (3, 4) and words[-2] not in "Uw":
            result[words[-1]] = (int(words[0], 16), int(words[1], 16) if len(words) == 4 else 0)
    return result


def readable(names):
    """Names without the C++ encoding of types."""
    run = subprocess.run(["c++filt", "-p"], input="\n".join(names), check=True, capture_output=True, text=True)
    return run.stdout.splitlines()
