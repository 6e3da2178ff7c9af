"""The curve P-256 as a textbook has it, slow and plain: what tests compare with, and make signatures from that nobody
would sign.

Source: SEC 1, sections 2.2.1 and 4.1; SEC 2, section 2.4.2, for the numbers. A point is a pair (x, y); None is the
point at infinity.
"""
P = 2**256 - 2**224 + 2**192 + 2**96 - 1
B = 0x5AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B
N = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
G = (0x6B17D1F2E12C4247F8BCE6E563A440F277037D812DEB33A0F4A13945D898C296,
     0x4FE342E2FE1A7F9B8EE7EB4A7C0F9E162BCE33576B315ECECBB6406837BF51F5)


def is_on_curve(point):
    """True for a point of the curve other than infinity."""
    x, y = point
    return 0 <= x < P and 0 <= y < P and (y * y - (x**3 - 3 * x + B)) % P == 0


def negative(point):
    """The point that gives infinity with this one."""
    return None if point is None else (point[0], -point[1] % P)


def add(one, other):
    """The sum of two points."""
    if one is None or other is None:
        return other if one is None else one
    if one == negative(other):
        return None
    if one == other:
        slope = (3 * one[0] ** 2 - 3) * pow(2 * one[1], -1, P)
    else:
        slope = (other[1] - one[1]) * pow(other[0] - one[0], -1, P)
    x = (slope**2 - one[0] - other[0]) % P
    return x, (slope * (one[0] - x) - one[1]) % P


def multiply(scalar, point):
    """The point, added to itself."""
    result = None
    for bit in bin(scalar % N)[2:]:
        result = add(result, result)
        if bit == "1":
            result = add(result, point)
    return result


def point_at(x):
    """A point with this x, or None where there is none."""
    square = (x**3 - 3 * x + B) % P
    y = pow(square, (P + 1) // 4, P)
    return (x, y) if y * y % P == square else None


def sign(digest, secret, nonce):
    """(r, s) over a digest, as a number."""
    r = multiply(nonce, G)[0] % N
    return r, pow(nonce, -1, N) * (digest + r * secret) % N


def verify(digest, signature, key):
    """True where the signature is the key's: SEC 1, section 4.1.4."""
    r, s = signature
    if not is_on_curve(key) or not 0 < r < N or not 0 < s < N:
        return False
    inverse = pow(s, -1, N)
    point = add(multiply(digest * inverse, G), multiply(r * inverse, key))
    return point is not None and point[0] % N == r
