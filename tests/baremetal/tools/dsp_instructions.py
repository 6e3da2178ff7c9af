"""The instructions of the DSP extension of Armv8-M: all of them by name, and where in an image they are."""
import re
import subprocess

import baremetal_support as support

import link_map

HALVES = ("bb", "bt", "tb", "tt")
# Each with operands that an assembler takes.
EXAMPLES = tuple(
    [f"{kind}{what} r0, r1, r2" for kind in ("s", "q", "sh", "u", "uq", "uh")
     for what in ("add8", "add16", "sub8", "sub16", "asx", "sax")] +
    [f"{name} r0, r1, r2" for name in ("qadd", "qdadd", "qsub", "qdsub", "sel", "usad8", "pkhbt")] +
    ["pkhtb r0, r1, r2, asr #1"] +
    [f"{name} r0, r1, r2" for name in ("smuad", "smuadx", "smusd", "smusdx", "smmul", "smmulr", "smulwb", "smulwt")] +
    [f"smul{halves} r0, r1, r2" for halves in HALVES] +
    [f"{name} r0, r1, r2, r3" for name in ("smlad", "smladx", "smlsd", "smlsdx", "smmla", "smmlar", "smmls", "smmlsr",
                                           "smlawb", "smlawt", "smlald", "smlaldx", "smlsld", "smlsldx", "umaal",
                                           "usada8")] +
    [f"{name}{halves} r0, r1, r2, r3" for name in ("smla", "smlal") for halves in HALVES] +
    [f"{kind}xta{what} r0, r1, r2" for kind in "su" for what in ("b", "b16", "h")] +
    [f"{name} r0, r1" for name in ("sxtb16", "uxtb16")] +
    [f"{name} r0, #8, r1" for name in ("ssat16", "usat16")])
NAMES = frozenset(example.split()[0] for example in EXAMPLES)
CONDITIONS = "eq|ne|cs|cc|mi|pl|vs|vc|hi|ls|ge|lt|gt|le"
INSTRUCTION = re.compile(rf"^\s*([0-9a-f]+):\s+({'|'.join(sorted(NAMES))})(?:{CONDITIONS})?(?:\.[nw])?\s", re.MULTILINE)
# nm's letters of definitions that several objects may have.
SHARED = "VWvw"


def places(listing):
    """[(address, name)] of such instructions in a disassembly."""
    return [(int(address, 16), name) for address, name in INSTRUCTION.findall(listing)]


def disassembly(path):
    """The listing of an image or an object."""
    run = subprocess.run([support.board().arch.binutils + "objdump", "--disassemble", "--no-show-raw-insn", path],
                         check=True, capture_output=True, text=True)
    return run.stdout


def shared_functions(path):
    """Addresses of functions that several objects may define: the linker keeps one of these, whatever its object was
    compiled for."""
    run = subprocess.run([support.board().arch.binutils + "nm", "--defined-only", path], check=True,
                         capture_output=True, text=True)
    return {int(words[0], 16) & ~1 for words in map(str.split, run.stdout.splitlines()) if words[1] in SHARED}


def judge(listing, pieces, shared, allowed):
    """(findings, pieces with such instructions). `allowed` is the pattern of objects that may have them, in functions
    that are theirs alone."""
    findings, found = set(), []
    for address, name in places(listing):
        inside = [piece for piece in pieces if piece.address <= address < piece.address + piece.size_bytes]
        if not inside:
            findings.add(f"{address:#x}: {name} in no piece of the map")
            continue
        piece, = inside
        if piece not in found:
            found.append(piece)
        if not allowed.search(piece.origin):
            findings.add(f"{piece.origin}: {piece.name}: {name}")
        if any(piece.address <= function < piece.address + piece.size_bytes for function in shared):
            findings.add(f"{piece.origin}: {piece.name}: {name} in a function that other objects may define")
    return sorted(findings), found


def judge_image(path, allowed):
    """The same of an image and the map beside it."""
    return judge(disassembly(path), link_map.read(path).inside(".text"), shared_functions(path), allowed)
