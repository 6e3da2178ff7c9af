"""What only looks like an assertion: it holds whatever the product does, or is never reached.

Of both languages: a constant that is true; a comparison of literals; a comparison of an expression with itself; an
assertion that cannot be reached, after a return or below a condition that is false; a loop over an empty literal; an
exception that is swallowed, so that the assertions after it in the block are left out, or in Python the failure itself.

An expression that calls something is not the same twice: `EXPECT_EQ(f(1), f(1))` and `assert f(1) == f(1)` assert that
f gives the same each time, which tests of reproducible results do. Casts and `sizeof` are no calls; attributes, indices
and operators are none either, so that what they give has to be given a name, or another value to be compared with.
"""
import ast
import re

# C++

_NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"\((?:.|\n)*?\)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])\'', re.DOTALL)
_MACRO = re.compile(r"\b(?:EXPECT|ASSERT)_(TRUE|FALSE|EQ|NE|LT|LE|GT|GE|STREQ|STRNE|FLOAT_EQ|DOUBLE_EQ|NEAR)\s*\(")
_ASSERTION = re.compile(r"\b(?:EXPECT|ASSERT)_[A-Z_]+\s*\(|\bADD_FAILURE\(|\bFAIL\(\)")
_LITERAL = re.compile(r"\s*(?:(?:true|false|nullptr|\d[\w.']*|\"[^\"]*\"|'[^']*'|[-+*/%!~()<>=&|^])\s*)+")
_CAST = re.compile(r"\b(?:(?:static|const|reinterpret)_cast\s*<[^()]*>|sizeof\b)")
_CALL = re.compile(r"[\w>\])]\s*[({]|\+\+|--")
_NEVER = re.compile(r"\b(?:if|while)\s*(?:constexpr\s*)?\(\s*(?:false|0U?|!\s*true)\s*\)\s*\{")
_LEAVES = re.compile(r"(?<=[;{}])(\s*)(?:return|throw|continue|break)\b")
_EMPTY_LOOP = re.compile(r"\bfor\s*\([^;(){}]*:\s*[\w:]*(?:<[^;{}]*>)?\s*\{\s*\}\s*\)"
                         r"|\bValuesIn\(\s*[\w:]+<[^;{}]*>\{\s*\}\s*\)"
                         r"|\bfor\s*\([^;(){}]*;\s*\w+\s*<\s*0U?\s*;")
_CATCH = re.compile(r"\bcatch\s*\(([^()]*)\)\s*\{")
_ANY = re.compile(r"\.\.\.|\bstd::(?:exception|runtime_error|logic_error)\b")  # others are what a test expects
_WORKS = re.compile(r"=|\(|\+\+|--|\bthrow\b")


def masked(text):
    """The text with comments and the insides of strings blank, of the same length."""
    def blank(match):
        word = match.group()
        if word[0] == "/":
            return re.sub(r"[^\n]", " ", word)
        return word[0] + re.sub(r"[^\n]", "_", word[1:-1]) + word[-1]
    return _NOT_CODE.sub(blank, text)


def _end(text, opening):
    """Of a bracket, the place of its partner."""
    depth = 0
    for at in range(opening, len(text)):
        depth += (text[at] in "({[") - (text[at] in ")}]")
        if depth == 0:
            return at
    return len(text)


def _parts(text, begin, end, separator):
    """(begin, end) of what separators outside of brackets divide; in template arguments a comma divides nothing."""
    found, depth, start, at = [], 0, begin, begin
    while at < end:
        depth += (text[at] in "({[") - (text[at] in ")}]")
        if text[at] == "<" and re.match(r"<[\w:, *&]*>", text[at:end]) and separator == ",":
            at += re.match(r"<[\w:, *&]*>", text[at:end]).end()
            continue
        if depth == 0 and text.startswith(separator, at):
            found.append((start, at))
            start = at = at + len(separator)
            continue
        at += 1
    return [*found, (start, end)]


def _is_same(left, right):
    """Whether two expressions are one, which calls nothing."""
    words = [re.sub(r"\s+", " ", each).strip() for each in (left, right)]
    return words[0] == words[1] != "" and not _CALL.search(_CAST.sub(" ", words[0]))


def _macro_finding(kind, arguments, code):
    """What is wrong with an assertion; None: nothing. Code has empty strings."""
    if kind in ("TRUE", "FALSE"):
        if _LITERAL.fullmatch(code[0]):
            return "of a constant"
        whole, text = arguments[0], code[0]
        for word in ("||", "&&"):
            if any(whole[begin:end].strip() in ("true", "false") for begin, end in _parts(text, 0, len(text), word)):
                return "of a constant"
        sides = [whole[begin:end] for begin, end in _parts(text, 0, len(text), "==")]
        return "of an expression with itself" if len(sides) == 2 and _is_same(*sides) else None
    if len(arguments) < 2:
        return None
    if all(_LITERAL.fullmatch(each) for each in code[:2]):
        return "of constants"
    return "of an expression with itself" if _is_same(*arguments[:2]) else None


def _unreachable(code):
    """Places of assertions that nothing reaches."""
    for match in _NEVER.finditer(code):
        found = _ASSERTION.search(code, match.end(), _end(code, match.end() - 1))
        if found:
            yield found.start()
    for match in _LEAVES.finditer(code):
        at, depth = match.end(), 0
        while at < len(code) and (depth > 0 or code[at] != ";"):  # of what is returned or thrown
            depth += (code[at] in "({[") - (code[at] in ")}]")
            at += 1
        end, depth = at, 0
        while end < len(code) and depth >= 0:
            end += 1
            depth += (code[end:end + 1] in ("{", "(")) - (code[end:end + 1] in ("}", ")"))
        rest = code[at:end]
        found = _ASSERTION.search(rest)
        if found and not re.search(r"^\s*#|\b(?:case\b[^;]*|default\s*):", rest, re.MULTILINE):
            yield at + found.start()


def _swallowed(code):
    """Places of handlers after which a test goes on as if nothing had been thrown."""
    for match in _CATCH.finditer(code):
        body = code[match.end():_end(code, match.end() - 1)]
        before = code[:match.start()].rstrip()
        while before.endswith("}"):  # the block that is tried, or a handler of it
            opening, depth = len(before) - 1, 0
            for opening in range(len(before) - 1, -1, -1):
                depth += (before[opening] == "}") - (before[opening] == "{")
                if depth == 0:
                    break
            head = before[:opening].rstrip()
            if head.endswith("try"):
                tried = before[opening:]
                break
            tried, before = "", head[:max(head.rfind("catch"), 0)].rstrip()
        else:
            tried = ""
        caught = _ANY.search(match.group(1))
        if caught and not _WORKS.search(body) and (caught.group() == "..." or _ASSERTION.search(tried)):
            yield match.start()


def cpp_findings(text):
    """(line, sentence) of a source of tests."""
    code = masked(text)
    found = []
    for match in _MACRO.finditer(code):
        if code[:match.start()].rsplit("\n", 1)[-1].lstrip().startswith("#"):
            continue
        places = _parts(code, match.end(), _end(code, match.end() - 1), ",")
        wrong = _macro_finding(match.group(1), [text[begin:end] for begin, end in places],
                               [code[begin:end] for begin, end in places])
        if wrong:
            found.append((match.start(), f"an assertion {wrong} holds whatever the product does"))
    found += [(place, "an assertion that nothing reaches") for place in _unreachable(code)]
    found += [(place, "an exception is swallowed, and what was left out would pass") for place in _swallowed(code)]
    found += [(match.start(), "a loop over nothing") for match in _EMPTY_LOOP.finditer(code)]
    return sorted({(text.count("\n", 0, place) + 1, sentence) for place, sentence in found})


# Python

_EQUAL = re.compile(r"^assert(?:Is|(?:Almost|Count|List|Tuple|Set|Dict|Sequence|MultiLine)?Equal|LessEqual"
                    r"|GreaterEqual)$|^assert_(?:array_|almost_|allclose)?equal$|^assert_allclose$")
_COMPARES = re.compile(r"^assert(?:Not)?(?:Is|In|Almost|Equal|Less|Greater|Count)\w*$")
_SWALLOWS = {"AssertionError", "Exception", "BaseException"}


def _name(call):
    """What a call calls."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def _is_assertion(node):
    """An assert statement, or a call that fails a test."""
    return isinstance(node, ast.Assert) or (isinstance(node, ast.Call)
                                            and re.match(r"assert|fail$", _name(node)) is not None)


def _truth(node):
    """True or False where an expression is a constant, else None. A tuple with elements is true."""
    if isinstance(node, ast.Constant):
        return bool(node.value)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return bool(node.elts) if not any(isinstance(each, ast.Starred) for each in node.elts) else None
    if isinstance(node, ast.Dict):
        return bool(node.keys)
    if isinstance(node, (ast.Lambda, ast.JoinedStr)):
        return True if isinstance(node, ast.Lambda) or node.values else False
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = _truth(node.operand)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        values = [_truth(each) for each in node.values]
        decides = isinstance(node.op, ast.Or)
        return decides if decides in values else (not decides if None not in values else None)
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        if isinstance(node.left, ast.Constant) and isinstance(node.comparators[0], ast.Constant):
            return True
        same = isinstance(node.ops[0], (ast.Eq, ast.Is, ast.LtE, ast.GtE))
        return True if same and _is_one(node.left, node.comparators[0]) else None
    return None


def _is_one(left, right):
    """Whether two expressions are one, which calls nothing."""
    calls = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
    return ast.dump(left) == ast.dump(right) and not any(isinstance(each, calls) for each in ast.walk(left))


def _call_finding(call):
    """What is wrong with a call of an assertion; None: nothing."""
    name, arguments = _name(call), call.args
    if name in ("assertTrue", "assertFalse") and arguments:
        return "of a constant" if _truth(arguments[0]) is not None else None
    if name in ("assertIsNone", "assertIsNotNone") and arguments:
        return "of a constant" if isinstance(arguments[0], ast.Constant) else None
    if len(arguments) < 2 or not (_COMPARES.match(name) or _EQUAL.match(name)):
        return None
    if all(isinstance(each, ast.Constant) for each in arguments[:2]):
        return "of constants"
    return "of an expression with itself" if _EQUAL.match(name) and _is_one(*arguments[:2]) else None


def _names_of(node):
    """The names of exceptions in a handler or in suppress()."""
    if node is None:
        return {"BaseException"}
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in parts}


def _asserts(nodes):
    """Whether statements hold an assertion."""
    return any(_is_assertion(inner) for node in nodes for inner in ast.walk(node))


def _does_nothing(statement):
    """Whether a statement of a handler leaves no trace that a test could look at."""
    if isinstance(statement, ast.Expr):
        return isinstance(statement.value, ast.Constant) or (isinstance(statement.value, ast.Call)
                                                             and _name(statement.value) == "print")
    return isinstance(statement, (ast.Pass, ast.Continue, ast.Break)) or (
        isinstance(statement, ast.Return) and (statement.value is None or isinstance(statement.value, ast.Constant)))


def _is_empty(node):
    """Whether a loop over this does nothing."""
    if isinstance(node, ast.Call) and _name(node) == "range":
        return len(node.args) == 1 and isinstance(node.args[0], ast.Constant) and node.args[0].value == 0
    return (_truth(node) is False and not isinstance(node, ast.Constant)) or (
        isinstance(node, ast.Constant) and node.value in ("", b""))


def _dead(node):
    """Lists of statements below a node that nothing reaches."""
    for name in ("body", "orelse", "finalbody"):
        block = getattr(node, name, None)
        if isinstance(block, list):
            for i, statement in enumerate(block):
                if isinstance(statement, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
                    yield block[i + 1:]
    if isinstance(node, (ast.If, ast.While)) and not isinstance(node.test, ast.Compare):
        truth = _truth(node.test)
        if truth is False:
            yield node.body
        elif truth is True and isinstance(node, ast.If):
            yield node.orelse


def python_findings(text):
    """(line, sentence) of a script of tests."""
    found = []
    for node in ast.walk(ast.parse(text)):
        wrong = None
        if isinstance(node, ast.Assert):
            wrong = "of a constant, or of an expression with itself," if _truth(node.test) is True else None
        elif isinstance(node, ast.Call):
            wrong = _call_finding(node)
        if wrong:
            found.append((node.lineno, f"an assertion {wrong} holds whatever the product does"))
        if isinstance(node, ast.Try) and _asserts(node.body):
            found += [(handler.lineno, "a failure is swallowed") for handler in node.handlers
                      if _names_of(handler.type) & _SWALLOWS and all(map(_does_nothing, handler.body))]
        if isinstance(node, ast.With) and _asserts(node.body):
            found += [(node.lineno, "a failure is swallowed") for item in node.items
                      if isinstance(item.context_expr, ast.Call) and _name(item.context_expr) == "suppress"
                      and set().union(*map(_names_of, item.context_expr.args)) & _SWALLOWS]
        if isinstance(node, (ast.For, ast.comprehension)) and _is_empty(node.iter):
            found.append((node.iter.lineno, "a loop over nothing"))
        found += [(block[0].lineno, "an assertion that nothing reaches") for block in _dead(node)
                  if block and _asserts(block)]
    return sorted(set(found))
