"""What is known of a C++ expression by its text alone: its value where it is constant, and whether two are the same.

A parser of expressions as tests have them. What it does not understand (lambdas, assignments) is unknown. Casts and the
names of plain types give what they are given: `static_cast<int>(3)` and `std::string("a")` are constants.
"""
import collections
import operator
import re

# value: of a constant, else None. text: without blanks and outer parentheses. is_pure: it calls nothing.
Expression = collections.namedtuple("Expression", "value text is_pure")

_TOKEN = re.compile(r"\s+|//[^\n]*|/\*.*?\*/|(?P<string>(?:u8|u|U|L)?\"(?:\\.|[^\"\\\n])*\")"
                    r"|(?P<char>'(?:\\.|[^'\\\n])')|(?P<number>\.?\d(?:[eEpP][+-]|'?[\w.])*)"
                    r"|(?P<name>(?:::)?[A-Za-z_]\w*(?:::~?[A-Za-z_]\w*)*)"
                    r"|(?P<sign>->|\+\+|--|&&|\|\||<<|>>|[=!<>]=|[-+*/%&|^~!<>=?:.,;(){}\[\]])", re.DOTALL)
_CASTS = {"static_cast", "const_cast", "reinterpret_cast"}
_PLAIN = re.compile(r"(?:std::)?(?:u?int(?:8|16|32|64)?(?:_t)?|size_t|string|string_view|bool|char|float|double|byte"
                    r"|long|short|unsigned|signed|ptrdiff_t|uintptr_t)")
_TEMPLATE = re.compile(r"<[\w:,\s*&<>]*>")
_LEVELS = [("||",), ("&&",), ("|",), ("^",), ("&",), ("==", "!="), ("<", ">", "<=", ">="), ("<<", ">>"), ("+", "-"),
           ("*", "/", "%")]
_OPERATORS = {"|": operator.or_, "^": operator.xor, "&": operator.and_, "==": operator.eq, "!=": operator.ne,
              "<": operator.lt, ">": operator.gt, "<=": operator.le, ">=": operator.ge, "<<": operator.lshift,
              ">>": operator.rshift, "+": operator.add, "-": operator.sub, "*": operator.mul, "%": operator.mod}
_OF_ITSELF = {"==": True, "<=": True, ">=": True, "!=": False, "<": False, ">": False}
_WORDS = {"not": "!", "and": "&&", "or": "||", "not_eq": "!="}
_NULL = 0


class _NotUnderstood(Exception):
    """Of a text that is no expression as the parser knows them."""


def _number(text):
    """Of a literal; what Python does not read is a constant without a known value, and so unknown."""
    word = text.replace("'", "")
    try:
        if re.search(r"[.pP]|^\d+[eE]", word) and not re.match(r"0[xX][^.pP]*$", word):
            return float(re.sub(r"[fFlL]$", "", word))
        word = re.sub(r"[uUlLzZ]+$", "", word)
        return int(word, 8 if re.fullmatch(r"0\d+", word) else 0)
    except ValueError as error:
        raise _NotUnderstood from error


class _Parser:

    def __init__(self, text, names, same):
        self.names, self.same, self.tokens, at = names, same, [], 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if not match:
                raise _NotUnderstood
            template = _TEMPLATE.match(text, match.end()) if match.lastgroup == "name" else None
            follows = text[template.end():].lstrip()[:1] if template else ""
            word, at = match.group(), match.end()
            if word in _WORDS:
                self.tokens.append(("sign", _WORDS[word]))
                continue
            if template and (word in _CASTS or follows in ("(", "{", ":") and follows):
                word, at = word + re.sub(r"\s", "", template.group()), template.end()
            if match.lastgroup:
                self.tokens.append((match.lastgroup, word))
        self.at = 0

    def next(self):
        return self.tokens[self.at][1] if self.at < len(self.tokens) else ""

    def take(self, wanted=None):
        if self.at >= len(self.tokens) or wanted not in (None, self.next()):
            raise _NotUnderstood
        self.at += 1
        return self.tokens[self.at - 1]

    def whole(self):
        found = self.choice()
        if self.at != len(self.tokens):
            raise _NotUnderstood
        return found

    def choice(self):
        """Of ?: and what binds closer."""
        condition = self.binary(0)
        if self.next() != "?":
            return condition
        self.take()
        first = self.choice()
        self.take(":")
        second = self.choice()
        value = None
        if condition.value is not None:
            value = first.value if condition.value else second.value
        elif first.value is not None and first.value == second.value:
            value = first.value
        return Expression(value, f"({condition.text}?{first.text}:{second.text})",
                          condition.is_pure and first.is_pure and second.is_pure)

    def binary(self, level):
        if level == len(_LEVELS):
            return self.unary()
        left = self.binary(level + 1)
        while self.next() in _LEVELS[level]:
            sign = self.take()[1]
            right = self.binary(level + 1)
            left = Expression(self.value_of(left, sign, right), f"({left.text}{sign}{right.text})",
                              left.is_pure and right.is_pure)
        return left

    def value_of(self, left, sign, right):
        """Of an operator with two sides."""
        if sign in ("||", "&&"):
            truths = [None if each.value is None else bool(each.value) for each in (left, right)]
            decides = sign == "||"
            opposite = left.is_pure and (f"!{left.text}" == right.text or f"!{right.text}" == left.text)
            if decides in truths or opposite:
                return decides
            return None if None in truths else not decides
        if left.value is not None and right.value is not None:
            if sign == "/" or sign == "<<" and not 0 <= right.value < 64:
                return None
            try:
                return _OPERATORS[sign](left.value, right.value)
            except (TypeError, ValueError, ArithmeticError):
                return None
        if self.same and sign in _OF_ITSELF and left.is_pure and left.text == right.text:
            return _OF_ITSELF[sign]
        return None

    def unary(self):
        sign = self.next()
        if sign in ("!", "-", "+", "~", "*", "&", "++", "--"):
            self.take()
            inner = self.unary()
            value = None
            if inner.value is not None and sign in ("!", "-", "+", "~"):
                try:
                    value = {"!": operator.not_, "-": operator.neg, "+": operator.pos,
                             "~": operator.invert}[sign](inner.value)
                except TypeError:
                    value = None
            return Expression(value, sign + inner.text, inner.is_pure and sign not in ("++", "--"))
        return self.postfix(self.primary())

    def listed(self, closing):
        """Arguments up to a closing bracket."""
        found = []
        while self.next() != closing:
            found.append(self.choice())
            if self.next() != closing:
                self.take(",")
        self.take(closing)
        return found

    def primary(self):
        kind, word = self.take()
        if kind == "number":
            return Expression(_number(word), word, True)
        if kind == "char":
            return Expression(ord(word[1]) if len(word) == 3 else word, word, True)
        if kind == "string":
            while self.at < len(self.tokens) and self.tokens[self.at][0] == "string":
                word = word[:-1] + self.take()[1].split('"', 1)[1]
            return Expression(word.split('"', 1)[1][:-1], word, True)
        if word == "(":
            inner = self.choice()
            self.take(")")
            if self.at < len(self.tokens) and (self.tokens[self.at][0] != "sign" or self.next() == "("):
                if not re.fullmatch(r"[\w:*&]+", inner.text):
                    raise _NotUnderstood
                cast = self.unary()  # (int)x, or (f)(x), which is a call
                return Expression(cast.value if _PLAIN.fullmatch(inner.text) else None, f"({inner.text}){cast.text}",
                                  cast.is_pure and bool(_PLAIN.fullmatch(inner.text)))
            return inner
        if kind != "name":
            raise _NotUnderstood
        return self.named(word)

    def named(self, word):
        if word in ("true", "false"):
            return Expression(word == "true", word, True)
        if word == "nullptr":
            return Expression(_NULL, word, True)
        if word == "sizeof" or word == "alignof":
            return Expression(None, word + self.unary().text, True)
        is_cast, is_plain = word.split("<")[0] in _CASTS, _PLAIN.fullmatch(word) is not None
        if (is_cast or is_plain) and self.next() in ("(", "{"):
            opening = self.take()[1]
            inside = self.listed({"(": ")", "{": "}"}[opening])
            if len(inside) != 1:
                return Expression(None, word + ",".join(each.text for each in inside), is_plain and not inside)
            return Expression(inside[0].value, f"{word}({inside[0].text})", inside[0].is_pure)
        return Expression(self.names.get(word), word, True)

    def postfix(self, found):
        while self.next() in ("(", "{", "[", ".", "->", "++", "--"):
            sign = self.take()[1]
            if sign in (".", "->"):
                kind, word = self.take()
                if kind != "name":
                    raise _NotUnderstood
                found = Expression(None, found.text + sign + word, found.is_pure)
            elif sign in ("++", "--"):
                found = Expression(None, found.text + sign, False)
            else:
                inside = self.listed({"(": ")", "{": "}", "[": "]"}[sign])
                found = Expression(None, f"{found.text}{sign}{','.join(each.text for each in inside)}",
                                   sign == "[" and found.is_pure and all(each.is_pure for each in inside))
        return found


def expression(text, names=None, same=True):
    """What is known of an expression. names: {name: value} of constants. same: x == x counts as known."""
    try:
        return _Parser(text, names or {}, same).whole()
    except _NotUnderstood:
        return Expression(None, text, False)


def compared(left, sign, right, names=None):
    """Whether a comparison of two expressions holds: True, False, or None where that is not known."""
    sides = [expression(each, names) for each in (left, right)]
    found = _Parser("", names or {}, True).value_of(sides[0], sign, sides[1])
    return None if found is None else bool(found)
