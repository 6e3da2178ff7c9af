#!/usr/bin/env python3
"""Gate: target objects need no heap, exceptions, RTTI, stdio or start-up code, and hold no mutable data.

Judged on object files, after the compiler has decided: what it adds by itself counts as well. An object may refer to
what another examined object defines and to the few names in MAY_REFER_TO; everything else is refused, so that a name
nobody thought of is refused too. FORBIDDEN gives the known ones a reason, and catches them where they are defined.
"""
import argparse
import pathlib
import re
import subprocess
import sys

from own_sources import report

# The four that a compiler may call for itself in freestanding code, two for texts that end with a zero, and what an
# abstract class's table points to. Then what the host's build takes from the distribution's BearSSL, and a board's
# compiles itself; and what the compiler's own library knows of a host's processor, which only the x86 inner loops ask.
MAY_REFER_TO = {
    *("memcpy", "memmove", "memset", "memcmp", "strncmp", "strlen"),
    *("__cxa_pure_virtual", "_GLOBAL_OFFSET_TABLE_"),
    *("br_ecdsa_i31_vrfy_raw", "br_ec_p256_m31"),
    "__cpu_model",
}
FORBIDDEN = [
    (r"operator (new|delete)\b.*", "heap"),
    (r"(__libc_)?(malloc|calloc|realloc|free|aligned_alloc|posix_memalign|alloca)", "heap"),
    (r"__cxa_(throw|rethrow|allocate_exception|free_exception|begin_catch|end_catch|get_exception\w*)", "exceptions"),
    (r"(_Unwind_\w+|__gxx_personality\w*|std::terminate\b.*|std::__throw_\w+.*|std::rethrow_exception.*)",
     "exceptions"), (r"(typeinfo|typeinfo name) for .*|__dynamic_cast|vtable for __cxxabiv1::.*", "RTTI"),
    (r"(__)?(v?(f|s|sn|d|as)?printf)(_chk)?|f?puts|f?putc(har)?|fwrite|fopen|perror", "stdio"),
    (r"std::(__cxx11::)?(basic_)?(ios|ios_base|cout|cerr|clog|cin|[io]?stringstream|[io]?fstream)\b.*", "iostream"),
    (r"__cxa_guard_\w+|guard variable for .*", "static with start-up code"),
    (r"__cxa_atexit|atexit|_GLOBAL__sub_I_.*|__static_initialization_and_destruction.*", "start-up code"),
    (r"abort|exit|_exit|__assert_fail|__stack_chk_fail|longjmp|setjmp|_setjmp|raise|signal", "leaves the fault path"),
]
FORBIDDEN = [(re.compile(pattern), reason) for pattern, reason in FORBIDDEN]
# .data.rel.ro holds constant tables of pointers; it is written by the loader only.
MUTABLE = re.compile(r"^(\.data(?!\.rel\.ro)|\.bss|\.tdata|\.tbss|\.init_array|\.fini_array|\.ctors|\*COM\*|COMMON)")


def symbols(path):
    """(demangled name, section) of every symbol of an object; the section of an undefined one is *UND*."""
    listing = subprocess.run(["nm", "-C", "-f", "sysv", str(path)], capture_output=True, text=True, check=True).stdout
    for line in listing.splitlines():
        fields = [field.strip() for field in line.rsplit("|", 6)]
        if len(fields) == 7 and fields[0] != "Name":
            yield fields[0], fields[6]


def sections(path):
    """(name, size) of every section of an object."""
    listing = subprocess.run(["objdump", "-h", str(path)], capture_output=True, text=True, check=True).stdout
    for match in re.finditer(r"^ *\d+ (\S+) +([0-9a-f]+) ", listing, re.MULTILINE):
        yield match.group(1), int(match.group(2), 16)


def judge(objects):
    """Findings over object files."""
    tables = {path: list(symbols(path)) for path in objects}
    defined = {name for table in tables.values() for name, section in table if section != "*UND*"}
    findings = []
    for path, table in tables.items():
        for name, section in table:
            reason = next((reason for pattern, reason in FORBIDDEN if pattern.fullmatch(name)), None)
            if reason is not None:
                findings.append(f"{path.name}: {name}: {reason}")
            elif section == "*UND*" and name not in defined and name not in MAY_REFER_TO:
                findings.append(f"{path.name}: {name}: defined by no target object")
            elif MUTABLE.match(section):
                findings.append(f"{path.name}: {name}: mutable data in {section}")
        for name, size_bytes in sections(path):
            if size_bytes > 0 and MUTABLE.match(name):
                findings.append(f"{path.name}: section {name} holds {size_bytes} bytes")
    return findings


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--objects", type=pathlib.Path, required=True, help="file that lists one object per line")
    listed = [pathlib.Path(line) for line in parser.parse_args().objects.read_text().splitlines() if line]
    sys.exit(report("symbols", len(listed), judge(listed)))
