"""Binaries that must be refused, each for another reason and as late as possible: what skips of instructions are tried
on.

All are made of one small workload that the validator accepts and that runs; where a reason lies behind the signature,
the signature holds.
"""
import dataclasses
import hashlib
import json
import struct

import baremetal_support as support
import p256
import signatures

STAND_IN, BEARSSL = 1, 2
SESSION, WEAK = 1, 2
TRUSTED, REVOKED = 0x4BB4_B44B, 0xB44B_4BB4  # KeyState, runtime/include/pianola/trust.h
# Offsets in the header: runtime/include/pianola/envelope.h.
TOTAL, VERSION, ALGORITHM, SIGNATURE, KEY_ID, DIGEST, HEADER = 16, 20, 28, 32, 36, 160, 192
SIGNATURE_BYTES, ECDSA_P256 = 64, 2
PACK_FRONT = 64 + 2 * 192  # header and trusts: tests/runtime/vectors/vector_pack.h
RECORD = 192  # of a vector
COUNTER = 3  # the platform's: older is refused
MUTANTS = ("IMG-NAME.empty", "TRC-BOUNDS.no-region", "ORD-RACE.output", "BUD-CYCLES.one-more")
ORDER = struct.Struct("<6I76s76s16x")
ORDER_MAGIC = 0x5049_4B53


@dataclasses.dataclass(frozen=True)
class Key:
    """A key pair of the curve, and the bytes of a TrustedKey."""

    secret: int
    name: bytes

    @property
    def public(self):
        """x and y."""
        return signatures.raw(*p256.multiply(self.secret, p256.G))

    def entry(self, state):
        """As in the device's list."""
        return self.name + self.public + struct.pack("<I", state)

    def sign(self, digest, verifier):
        """What this verifier accepts. The nonce is fixed: these keys protect nothing."""
        if verifier == BEARSSL:
            return signatures.raw(*p256.sign(int.from_bytes(digest, "big"), self.secret, 0x0123_4567_89AB_CDEF))
        return bytes(a ^ b for a, b in zip(digest * 2, self.public))


TRUSTED_KEY, REVOKED_KEY, UNKNOWN_KEY = Key(0xA11CE, b"trusted!"), Key(0xB0B, b"revoked!"), Key(0xE7E, b"unknown!")


def flipped(data, at, bit=0):
    """One bit changed."""
    return data[:at] + bytes([data[at] ^ 1 << bit]) + data[at + 1:]


def digest_of(file):
    """Of a file without its signature."""
    return hashlib.sha256(file[:DIGEST] + file[HEADER:]).digest()


def signed(file, key=TRUSTED_KEY, version=COUNTER, verifier=STAND_IN):
    """An unsigned file, signed."""
    head = bytearray(file[:HEADER])
    struct.pack_into("<II", head, TOTAL, len(file) + SIGNATURE_BYTES, version)
    struct.pack_into("<II", head, ALGORITHM, ECDSA_P256, SIGNATURE_BYTES)
    head[KEY_ID:KEY_ID + 8] = key.name
    unsigned = bytes(head) + file[HEADER:]
    digest = digest_of(unsigned)
    return unsigned[:DIGEST] + digest + unsigned[HEADER:] + key.sign(digest, verifier)


@dataclasses.dataclass(frozen=True)
class Target:
    """A binary, and the loader and verifier that it meets."""

    name: str
    rule: str  # that it must be refused by; "" where it must run
    file: bytes
    verifier: int = STAND_IN
    loader: int = SESSION

    def order(self, watchdog_ticks):
        """The bytes at the start of the load area: tests/baremetal/skips/order.h."""
        order = ORDER.pack(ORDER_MAGIC, len(self.file), self.loader, self.verifier, COUNTER, watchdog_ticks,
                           TRUSTED_KEY.entry(TRUSTED), REVOKED_KEY.entry(REVOKED))
        return order + self.file


def small_workload(folder, vectors):
    """The unsigned workload with two queues, out of the pack of vectors."""
    pack, expectations = folder / "vectors.bin", folder / "vectors.json"
    support.checked(vectors, pack, expectations)
    raw, at = pack.read_bytes(), PACK_FRONT
    for expected in json.loads(expectations.read_text(encoding="utf-8")):
        file_bytes, stored, shift = struct.unpack_from("<3I", raw, at)
        if expected["rule"] == "ACCEPTED" and expected["name"] == "2 queues, 0 self-tests":
            return raw[at + RECORD + shift:at + RECORD + shift + file_bytes]
        at += RECORD + -(-(shift + stored) // 64) * 64
    raise AssertionError("the pack has no workload with two queues")


def mutants(folder, pianola, workload):
    """{name: unsigned file that breaks one rule} of the mutation kit."""
    source, output = folder / "workload.ptb", folder / "mutants"
    source.write_bytes(workload)
    support.checked(pianola, "mutate", source, "-o", output, "--kind", "semantic")
    report = json.loads((output / "mutants.json").read_text(encoding="utf-8"))
    found = {mutant["name"]: mutant for mutant in report["mutants"]}
    assert all(found[name]["alone"] for name in MUTANTS), "another rule is broken as well"
    return {name: (output / found[name]["file"]).read_bytes() for name in MUTANTS}


def all_targets(folder, vectors, pianola):
    """{name: Target}: "accepted" runs, the weak ones are for the proof that the campaign can fail, the others must be
    refused."""
    workload = small_workload(folder, vectors)
    good, real = signed(workload), signed(workload, verifier=BEARSSL)
    bad_signature = flipped(good, len(good) - 1)
    unsigned = bytearray(workload)
    struct.pack_into("<I", unsigned, VERSION, COUNTER)
    unsigned = bytes(unsigned[:DIGEST]) + digest_of(bytes(unsigned)) + bytes(unsigned[HEADER:])
    targets = [
        Target("accepted", "", good),
        Target("accepted, BearSSL", "", real, verifier=BEARSSL),
        Target("bad signature", "AUT-SIGNATURE", bad_signature),
        Target("wrong digest", "ENV-DIGEST", flipped(good, DIGEST)),
        Target("not signed", "AUT-UNSIGNED", unsigned),
        Target("too old", "AUT-VERSION", signed(workload, version=COUNTER - 1)),
        Target("revoked key", "AUT-REVOKED", signed(workload, REVOKED_KEY)),
        Target("unknown key", "AUT-KEY", signed(workload, UNKNOWN_KEY)),
        *(Target(name.split(".", maxsplit=1)[0].lower(), name.split(".", maxsplit=1)[0], signed(file))
          for name, file in mutants(folder, pianola, workload).items()),
        Target("bad signature, BearSSL", "AUT-SIGNATURE", flipped(real, len(real) - 1), verifier=BEARSSL),
        Target("weak loader: bad signature", "AUT-SIGNATURE", bad_signature, loader=WEAK),
        Target("weak loader: not signed", "AUT-UNSIGNED", unsigned, loader=WEAK),
    ]
    return {target.name: target for target in targets}
