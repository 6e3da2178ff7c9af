"""Python's part of vacuous.py: assertions that hold whatever the product does, or that nothing reaches.

Constant expressions are evaluated: literals, operators, comparisons, a few functions of the language, and names that a
test gives a constant once. A comparison of an expression with itself counts as known where an assertion needs it, and
not where it is decided what is reached: `if x != x:` looks for a NaN.
"""
import ast
import operator
import re
import unittest

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
_SWALLOWS = {"AssertionError", "Exception", "BaseException"}
_EQUAL = re.compile(r"^assert(?:(?:Almost|Count|List|Tuple|Set|Dict|Sequence|MultiLine)?Equal)$"
                    r"|^assert_(?:array_|almost_|allclose)?equal$|^assert_allclose$")
_OTHER = {"assertNotEqual": ast.NotEq, "assertNotAlmostEqual": ast.NotEq, "assertIs": ast.Is, "assertIsNot": ast.IsNot,
          "assertIn": ast.In, "assertNotIn": ast.NotIn, "assertLess": ast.Lt, "assertLessEqual": ast.LtE,
          "assertGreater": ast.Gt, "assertGreaterEqual": ast.GtE}
_FIRST = {"first", "a", "member", "expr", "expr1", "obj", "list1", "tuple1", "set1", "d1", "seq1", "actual", "x"}
_NO_OPERANDS = {"msg", "places", "delta", "err_msg", "rtol", "atol", "verbose"}
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
              ast.FloorDiv: operator.floordiv, ast.Mod: operator.mod, ast.BitAnd: operator.and_,
              ast.BitOr: operator.or_, ast.BitXor: operator.xor, ast.LShift: operator.lshift,
              ast.RShift: operator.rshift, ast.Pow: operator.pow,
              ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Invert: operator.invert, ast.Not: operator.not_,
              ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le,
              ast.Gt: operator.gt, ast.GtE: operator.ge, ast.Is: operator.is_, ast.IsNot: operator.is_not,
              ast.In: lambda left, right: left in right, ast.NotIn: lambda left, right: left not in right}
_BUILTINS = {each.__name__: each for each in (abs, all, any, bool, dict, enumerate, float, frozenset, int, len, list,
                                              max, min, range, reversed, set, sorted, str, tuple, zip)}
_LOOKS = set(_BUILTINS)  # what does not change a list that it is given
_SAYS = {"print", "debug", "info", "warning", "error", "exception", "critical", "log", "print_exc"}
_ENDS = {"skipTest", "exit", "_exit", "abort", "fail"}
_MOST = 10_000


class Unknown(Exception):
    """An expression that is no constant."""


def _small(value):
    """The value, where operators on it take no time."""
    if isinstance(value, (int, float)) and abs(value) > 2**64 or hasattr(value, "__len__") and len(value) > _MOST:
        raise Unknown
    return value


def _value(node, names):
    """Of a constant expression. names: {name: value} of a test's own constants. Raises Unknown."""
    try:
        return _small(_of_constants(node, names))
    except Unknown:
        raise
    except Exception as error:  # the language refuses it, as a test would find out
        raise Unknown from error


def _of_constants(node, names):
    def all_of(nodes):
        return [_value(each, names) for each in nodes]

    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.Name) and node.id in names:
        return names[node.id]
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return {ast.Tuple: tuple, ast.List: list, ast.Set: set}[type(node)](all_of(node.elts))
    if isinstance(node, ast.Dict) and None not in node.keys:
        return dict(zip(all_of(node.keys), all_of(node.values)))
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](_value(node.operand, names))
    if isinstance(node, ast.BinOp):
        left, right = all_of((node.left, node.right))
        if isinstance(node.op, (ast.Pow, ast.LShift, ast.Mult)) and not (
                isinstance(left, (int, float)) and isinstance(right, (int, float)) and abs(right) <= 64
                or isinstance(node.op, ast.Mult) and not hasattr(left, "__len__") and not hasattr(right, "__len__")):
            raise Unknown
        return _OPERATORS[type(node.op)](left, right)
    if isinstance(node, ast.Compare):
        values = all_of([node.left, *node.comparators])
        return all(_OPERATORS[type(each)](values[i], values[i + 1]) for i, each in enumerate(node.ops))
    if isinstance(node, ast.BoolOp):
        values = all_of(node.values)
        decides = [each for each in values[:-1] if bool(each) == isinstance(node.op, ast.Or)]
        return (decides or values[-1:])[0]
    if isinstance(node, ast.NamedExpr):
        return _value(node.value, names)
    if isinstance(node, ast.IfExp):
        return _value(node.body if _value(node.test, names) else node.orelse, names)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        if node.func.id in _BUILTINS:
            given = all_of(node.args)
            if any(isinstance(each, range) and len(each) > _MOST for each in given):
                raise Unknown
            made = _BUILTINS[node.func.id](*given)
            return list(made) if isinstance(made, (enumerate, type(reversed([])), zip)) else made
    raise Unknown


def truth(node, names, same=True):
    """True or False where an expression is known to be, else None. same: x == x counts as known."""
    try:
        return bool(_value(node, names))
    except Unknown:
        pass
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return True if any(not isinstance(each, ast.Starred) for each in node.elts) else None
    if isinstance(node, ast.Dict):
        return True if any(each is not None for each in node.keys) else None
    if isinstance(node, ast.JoinedStr):
        return True if any(isinstance(each, ast.Constant) and each.value for each in node.values) else None
    if isinstance(node, ast.Lambda):
        return True
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        inner = truth(node.operand, names, same)
        return None if inner is None else not inner
    if isinstance(node, ast.BoolOp):
        values = [truth(each, names, same) for each in node.values]
        decides = isinstance(node.op, ast.Or)
        opposite = any(isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.Not) and _is_one(each.operand, other)
                       for each in node.values for other in node.values)
        if decides in values or opposite:
            return decides
        return not decides if None not in values else None
    if isinstance(node, ast.IfExp):
        values = {truth(node.body, names, same), truth(node.orelse, names, same)}
        return values.pop() if len(values) == 1 else None
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        pairs = [_holds(each, sides[i], sides[i + 1], names, same) for i, each in enumerate(node.ops)]
        return False if False in pairs else (True if None not in pairs else None)
    return None


def _holds(operation, left, right, names, same=True):
    """What one comparison gives, where it is known."""
    def known(node):
        if isinstance(node, (ast.Compare, ast.BoolOp)) or isinstance(node, ast.UnaryOp) and isinstance(
                node.op, ast.Not):
            found = truth(node, names, same)
            if found is not None and not isinstance(node, ast.BoolOp):
                return found
        return _value(node, names)

    try:
        return bool(_OPERATORS[type(operation)](known(left), known(right)))
    except Unknown:
        pass
    except Exception:  # values that cannot be compared: the assertion fails
        return None
    if not same:
        return None
    if isinstance(operation, (ast.In, ast.NotIn)) and isinstance(right, (ast.Tuple, ast.List, ast.Set)):
        return isinstance(operation, ast.In) if any(_is_one(left, each) for each in right.elts) else None
    if not _is_one(left, right) or isinstance(operation, (ast.In, ast.NotIn)):
        return None
    return isinstance(operation, (ast.Eq, ast.Is, ast.LtE, ast.GtE))


def _is_one(left, right):
    """Whether two expressions are one, which calls nothing."""
    calls = (ast.Call, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
    return ast.dump(left) == ast.dump(right) and not any(isinstance(each, calls) for each in ast.walk(left))


def name_of(call):
    """What a call calls."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def is_failure(node):
    """raise AssertionError: what a test fails with."""
    made = node.exc if isinstance(node, ast.Raise) else None
    made = made.func if isinstance(made, ast.Call) else made
    return getattr(made, "id", getattr(made, "attr", "")) in ("AssertionError", "failureException")


def _is_assertion(node):
    """An assert statement, or a call or an exception that fails a test."""
    return isinstance(node, ast.Assert) or is_failure(node) or (isinstance(node, ast.Call) and
                                                                re.match(r"assert|fail$", name_of(node)) is not None)


def _asserts(nodes, what=_is_assertion):
    """Whether statements hold an assertion."""
    return any(what(inner) for node in nodes for inner in ast.walk(node))


def _is_plain(node):
    """An assertion of the language or of unittest: no helper whose failure a test may look for."""
    return isinstance(node, ast.Assert) or (isinstance(node, ast.Call) and name_of(node).startswith("assert")
                                            and name_of(node) not in ("assertRaises", "assertRaisesRegex")
                                            and hasattr(unittest.TestCase, name_of(node)))


def _is_vacuous(call, names):
    """Whether a call of an assertion holds whatever the product does."""
    name = name_of(call)
    named = [each for each in call.keywords if each.arg and each.arg not in _NO_OPERANDS]
    given = [*call.args, *(each.value for each in sorted(named, key=lambda each: each.arg not in _FIRST))]
    if name in ("assertTrue", "assertFalse") and given:
        return truth(given[0], names) is (name == "assertTrue")
    if name in ("assertIsNone", "assertIsNotNone") and given:
        operation = ast.Is() if name == "assertIsNone" else ast.IsNot()
        return _holds(operation, given[0], ast.Constant(None), names) is True
    operation = ast.Eq if _EQUAL.match(name) else _OTHER.get(name)
    return len(given) >= 2 and operation is not None and _holds(operation(), *given[:2], names) is True


def _parents(tree):
    return {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}


def _constants(function):
    """{name: value} of names that a function gives a constant once, on every way, and never changes."""
    parents, found = _parents(function), {}
    names = [each for each in ast.walk(function) if isinstance(each, ast.Name)]
    given = {each.arg for each in ast.walk(function) if isinstance(each, ast.arg)}
    for node in ast.walk(function):
        single = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else (
            node.target if isinstance(node, ast.AnnAssign) and node.value else None)
        above = parents.get(node)
        while isinstance(above, (ast.With, ast.AsyncWith)):
            above = parents[above]
        if not isinstance(single, ast.Name) or above is not function or single.id in given or sum(
                each.id == single.id and not isinstance(each.ctx, ast.Load) for each in names) != 1:
            continue
        try:
            value = _value(node.value, found)
        except Unknown:
            continue
        reads = [parents[each] for each in names if each.id == single.id and isinstance(each.ctx, ast.Load)]
        if isinstance(value, (list, dict, set)) and not all(
                isinstance(each, (*_LOOPS, ast.Assert, ast.Compare, ast.UnaryOp)) or isinstance(each, ast.Call)
                and (name_of(each) in _LOOKS or name_of(each).startswith("assert")) for each in reads):
            continue
        found[single.id] = value
    return found


def _names_of(node):
    """The names of exceptions in a handler or in suppress()."""
    if node is None:
        return {"BaseException"}
    parts = node.elts if isinstance(node, ast.Tuple) else [node]
    return {each.attr if isinstance(each, ast.Attribute) else getattr(each, "id", "") for each in parts}


def _does_nothing(statement, reads):
    """Whether a statement of a handler leaves no trace that a test could look at. reads: the names that are read."""
    def is_quiet(node):
        return not any(isinstance(each, ast.Call) and name_of(each) not in _LOOKS | {"repr"} for each in ast.walk(node))

    if isinstance(statement, ast.Expr):
        return is_quiet(statement.value) or (isinstance(statement.value, ast.Call)
                                             and name_of(statement.value) in _SAYS)
    if isinstance(statement, (ast.Assign, ast.AnnAssign)):
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        return is_quiet(statement) and all(isinstance(each, ast.Name) and each.id not in reads for each in targets)
    return isinstance(statement, (ast.Pass, ast.Continue, ast.Break, ast.Delete)) or (
        isinstance(statement, ast.Return) and (statement.value is None or isinstance(statement.value, ast.Constant)))


def _swallowed(node, reads):
    """Lines at which the failure of an assertion is lost."""
    if isinstance(node, (ast.Try, getattr(ast, "TryStar", ast.Try))) and _asserts(node.body):
        for handler in node.handlers:
            if _names_of(handler.type) & _SWALLOWS and all(_does_nothing(each, reads) for each in handler.body):
                yield handler.lineno
        for each in node.finalbody:
            if isinstance(each, (ast.Return, ast.Break, ast.Continue)):
                yield each.lineno
    if isinstance(node, (ast.With, ast.AsyncWith)):
        for call in (item.context_expr for item in node.items if isinstance(item.context_expr, ast.Call)):
            expects = name_of(call) in ("assertRaises", "assertRaisesRegex", "raises")
            if (name_of(call) == "suppress" and _asserts(node.body) or expects and _asserts(node.body, _is_plain)
                ) and set().union(*map(_names_of, call.args)) & _SWALLOWS:
                yield node.lineno


def _leaves(statement, names):
    """Whether nothing after a statement is reached."""
    if isinstance(statement, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
        return True
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call):
        call = statement.value
        return name_of(call) in _ENDS or ast.unparse(call.func) in ("pytest.skip", "quit")
    if isinstance(statement, (ast.With, ast.AsyncWith)):  # which may stop an exception, and nothing else
        return any(isinstance(each, (ast.Return, ast.Continue, ast.Break)) for each in statement.body)
    if isinstance(statement, ast.If):
        known = truth(statement.test, names, same=False)
        return all(any(_leaves(each, names) for each in block) for block, taken in (
            (statement.body, known is not False), (statement.orelse, known is not True)) if taken)
    return False


def _dead(node, names):
    """Lists of statements below a node that nothing reaches."""
    for block in (getattr(node, name, None) for name in ("body", "orelse", "finalbody")):
        if isinstance(block, list):
            ends = [i for i, statement in enumerate(block) if _leaves(statement, names)]
            yield from [block[ends[0] + 1:]] if ends else []
    if isinstance(node, (ast.If, ast.While)):
        known = truth(node.test, names, same=False)
        if known is not None:
            yield node.orelse if known else node.body
    if isinstance(node, _FUNCTIONS):
        for inner in (each for each in node.body if isinstance(each, _FUNCTIONS) and not each.decorator_list):
            own = set(ast.walk(inner))
            if not any(isinstance(each, ast.Name) and each.id == inner.name for each in ast.walk(node)
                       if each not in own):
                yield inner.body


def _is_empty(node, names):
    """Whether a loop over this does nothing."""
    try:
        return len(_value(node, names)) == 0
    except (Unknown, TypeError):
        return False


def _findings(node, names, reads):
    """(line, sentence) of a node, without those below it."""
    wrong = truth(node.test, names) is True if isinstance(node, ast.Assert) else (
        isinstance(node, ast.Call) and _is_vacuous(node, names))
    if wrong:
        yield node.lineno, "an assertion of a constant or of x == x holds whatever the product does"
    for line in _swallowed(node, reads):
        yield line, "a failure is swallowed"
    if isinstance(node, _LOOPS) and (_is_empty(node.iter, names) or any(
            truth(each, names, same=False) is False for each in getattr(node, "ifs", ()))):
        yield node.iter.lineno, "a loop over nothing"
    for block in _dead(node, names):
        if _asserts(block):
            yield block[0].lineno, "an assertion that nothing reaches"


def python_findings(text):
    """(line, sentence) of a script of tests."""
    found, waiting = set(), [(ast.parse(text), {}, set())]
    while waiting:
        node, names, reads = waiting.pop()
        if isinstance(node, _FUNCTIONS):
            own = {each.id for each in ast.walk(node) if isinstance(each, ast.Name)
                   and not isinstance(each.ctx, ast.Load)} | {each.arg for each in ast.walk(node)
                                                              if isinstance(each, ast.arg)}
            names = {name: value for name, value in names.items() if name not in own} | _constants(node)
            reads = reads | {each.id for each in ast.walk(node) if isinstance(each, ast.Name)
                             and isinstance(each.ctx, ast.Load)}
        found.update(_findings(node, names, reads))
        waiting += [(each, names, reads) for each in ast.iter_child_nodes(node)]
    return sorted(found)
