"""Records for a verifier: signatures that OpenSSL's command line has made, what is left of them after damage, and
hand-made ones."""
import dataclasses
import random
import struct
import subprocess

import p256

OK, REFUSED = 0x5AC396A5, 0x3CC33CC3  # Status, runtime/include/pianola/status.h
NUMBER_BYTES = 32
DIGEST_BITS, SIGNATURE_BITS, KEY_BITS = 256, 512, 512
RECORD_BYTES = 160


@dataclasses.dataclass(frozen=True)
class Case:
    """A digest, a signature and a key, as bytes one after the other, and the answer to give."""

    name: str
    record: bytes
    answer: int


def raw(*numbers):
    """Numbers as 32 bytes each, big-endian."""
    return b"".join(number.to_bytes(NUMBER_BYTES, "big") for number in numbers)


def case(name, digest, signature, key, answer):
    """A Case from numbers: signature is (r, s), key is (x, y)."""
    return Case(name, raw(digest, *signature, *key), answer)


def openssl(*words, data=None):
    """What OpenSSL's command line writes."""
    return subprocess.run(["openssl", *words], input=data, check=True, capture_output=True).stdout


def der_integer(encoded):
    """(number, what follows it) of a DER INTEGER."""
    assert encoded[0] == 0x02, encoded.hex()
    length = encoded[1]
    return int.from_bytes(encoded[2:2 + length], "big", signed=True), encoded[2 + length:]


def raw_signature(der):
    """r and s, 32 bytes each, of a signature as OpenSSL writes it: a SEQUENCE of two INTEGERs (RFC 3279, section
    2.2.3)."""
    assert der[0] == 0x30 and der[1] == len(der) - 2, der.hex()
    r, rest = der_integer(der[2:])
    s, rest = der_integer(rest)
    assert not rest, der.hex()
    return raw(r, s)


class OpenSslKey:
    """A key pair that OpenSSL has made, in a file of a folder."""

    def __init__(self, folder):
        self.file = folder / "key.pem"
        openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", str(self.file))
        # The last 64 bytes of the encoding are x and y, not compressed.
        self.public = openssl("pkey", "-in", str(self.file), "-pubout", "-outform", "DER")[-2 * NUMBER_BYTES:]
        self.folder = folder

    def record(self, digest):
        """The record of a digest of 32 bytes, signed with this key."""
        file = self.folder / "digest.bin"
        file.write_bytes(digest)
        signature = openssl("pkeyutl", "-sign", "-inkey", str(self.file), "-in", str(file))
        return digest + raw_signature(signature) + self.public


def flipped(record, bit):
    """A record with one bit changed."""
    changed = bytearray(record)
    changed[bit // 8] ^= 1 << (bit % 8)
    return bytes(changed)


def flips(record, bits):
    """One Case per bit; none of them may pass."""
    return [Case(f"bit {bit} changed", flipped(record, bit), REFUSED) for bit in bits]


def valid_extremes(secret, key):
    """Signatures that hold, at the ends of what the numbers can be."""
    nonce = 0x1234_5678_9ABC_DEF0_0FED_CBA9
    r = p256.multiply(nonce, p256.G)[0] % p256.N

    def digest_for(s):
        """The digest that the nonce and the key sign with this s."""
        return (s * nonce - r * secret) % p256.N

    for digest in (1, p256.N - 1, p256.N + 1, 2**256 - 1, 2**255):
        yield case(f"digest {digest:x}", digest, p256.sign(digest, secret, nonce), key, OK)
    for s in (1, 2, p256.N - 1):
        yield case(f"s {s:x}", digest_for(s), (r, s), key, OK)
    # Adding the two products means doubling one of them.
    digest = r * secret % p256.N
    yield case("equal summands", digest, p256.sign(digest, secret, nonce), key, OK)
    # The standard accepts both signs of s; whoever wants one signature per message cannot use ECDSA.
    digest = 0xD1_6E57
    r, s = p256.sign(digest, secret, nonce)
    yield case("negative s", digest, (r, p256.N - s), key, OK)
    for other in (1, 2, p256.N - 1):
        yield case(f"secret {other:x}", digest, p256.sign(digest, other, nonce), p256.multiply(other, p256.G), OK)
    # The x of the point is not below the curve's order, so that r is what is left of it.
    x = next(x for x in range(p256.N, p256.P) if p256.point_at(x))
    r, s, digest = x - p256.N, 7, 11
    point = p256.add(p256.multiply(s, p256.point_at(x)), p256.negative(p256.multiply(digest, p256.G)))
    key = p256.multiply(pow(r, -1, p256.N), point)
    yield case("x above the order", digest, (r, s), key, OK)
    yield case("r not reduced", digest, (x, s), key, REFUSED)


def malformed(secret, key):
    """Keys and signatures that are refused, whatever they would compute to."""
    digest = 0xD1_6E57
    good = r, s = p256.sign(digest, secret, 0xABCDEF)
    top = 2**256 - 1
    for name, signature in (("r zero", (0, s)), ("s zero", (r, 0)), ("both zero", (0, 0)), ("r is n", (p256.N, s)),
                            ("s is n", (r, p256.N)), ("r and s are n", (p256.N, p256.N)), ("r at the top", (top, s)),
                            ("s at the top", (r, top)), ("swapped", (s, r))):
        yield case(name, digest, signature, key, REFUSED)
    # What any key and any s would pass with, were r = 0 let through.
    for zero in (0, p256.N):
        yield case(f"digest {zero:x}, r zero", zero, (0, s), key, REFUSED)
        yield case(f"digest {zero:x}, r is n", zero, (p256.N, s), key, REFUSED)
    x, y = key
    for name, point in (("zero", (0, 0)), ("x zero", (0, y)), ("y zero", (x, 0)), ("y beside", (x, (y + 1) % p256.P)),
                        ("swapped", (y, x)), ("negative", p256.negative(key)), ("top", (top, top)), ("p", (p256.P,
                                                                                                           p256.P))):
        yield case(f"key {name}", digest, good, point, REFUSED)
    # The products cancel each other.
    digest = -r * secret % p256.N
    for other_s in (1, s):
        yield case("sum at infinity", digest, (r, other_s), key, REFUSED)


def small_key():
    """A key whose x leaves room for the prime to be added, and a signature that holds: chosen backwards, from R = u1 G
    + u2 Q."""
    key = next(filter(None, map(p256.point_at, range(1, 100))))
    u1, u2 = 17, 19
    r = p256.add(p256.multiply(u1, p256.G), p256.multiply(u2, key))[0] % p256.N
    s = r * pow(u2, -1, p256.N) % p256.N
    digest = u1 * s % p256.N
    yield case("key with a small x", digest, (r, s), key, OK)
    yield case("the same and the prime", digest, (r, s), (key[0] + p256.P, key[1]), REFUSED)


def points_at_infinity(secret, key):
    """What a verifier that cannot compute with the point at infinity gets wrong. This one refuses, where the standard
    accepts: the signatures over zero. Nobody knows a message with such a digest."""
    for zero in (0, p256.N):
        yield case(f"digest {zero:x}", zero, p256.sign(zero, secret, 0xABCDEF), key, REFUSED)


def random_ones(count, seed):
    """Signatures over random digests with random keys, each as it is and with one random bit changed."""
    source = random.Random(seed)
    for number in range(count):
        secret, nonce, digest = (source.randrange(1, p256.N) for _ in range(3))
        good = case(f"random {number}", digest, p256.sign(digest, secret, nonce), p256.multiply(secret, p256.G), OK)
        yield good
        yield from flips(good.record, [source.randrange(8 * RECORD_BYTES)])


def hand_made():
    """All cases that need no OpenSSL."""
    secret = 0xC0FFEE_0123_4567_89AB_CDEF
    key = p256.multiply(secret, p256.G)
    return [*valid_extremes(secret, key), *malformed(secret, key), *small_key(), *points_at_infinity(secret, key)]


def fixed():
    """A record that holds, and is always the same."""
    return hand_made()[0].record


def numbers_of(record):
    """(digest, (r, s), (x, y)) of a record."""
    digest, r, s, x, y = (int.from_bytes(record[at:at + NUMBER_BYTES], "big")
                          for at in range(0, RECORD_BYTES, NUMBER_BYTES))
    return digest, (r, s), (x, y)


def findings(cases, answers):
    """One line for every case with another answer, from the bytes of the answers."""
    given = [word for word, in struct.iter_unpack("<I", answers)]
    if len(given) != len(cases):
        return [f"{len(given)} answers for {len(cases)} records"]
    return [
        f"{one.name}: {answer:08x}, not {one.answer:08x}" for one, answer in zip(cases, given) if answer != one.answer
    ]
