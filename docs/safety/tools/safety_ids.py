"""What the safety package can name: requirements, assumptions of use, and tests, as far as sources tell."""
import re

from evidence import Evidence, passed_tests
from trace import Trace  # pylint: disable=deprecated-module

# A name with or without its revision; a test is written test:<name in CTest>.
NAMED = re.compile(r"(?<![\w~])((?:sg|tsr|swr|rule|aou)~[A-Za-z0-9-]+(?:~\d+)?|test:[\w./]*\w)")
CASE = re.compile(r"^\s*(?:TYPED_)?TEST(?:_[FP])?\(\s*(\w+),\s*(\w+)\)", re.MULTILINE)
AREA = re.compile(r"^\s*pianola_add_test\(\s*(\w+)", re.MULTILINE)
LISTS = ("CMakeLists.txt", "*.cmake", "*.txt", "*.cpp", "*.py")


class Ids:
    """All that can be named in a tree."""

    def __init__(self, root, results=()):
        self.root = root
        self.revisions = {item.name: item.id for item in Trace(root).items.values()}
        self.assumptions = set(Evidence(root).assumptions)
        self.passed = passed_tests(results)
        self.has_results = bool(results)
        self.cases = set(self.written_cases())
        self.lists = {}

    def written_cases(self):
        """<area>.<Suite>.<Case> of each folder's sources, for the areas that its CMakeLists.txt makes of them."""
        for listed in sorted((self.root / "tests").rglob("CMakeLists.txt")):
            areas = AREA.findall(listed.read_text(encoding="utf-8"))
            for path in sorted(listed.parent.glob("*.cpp")) if areas else ():
                for suite, case in CASE.findall(path.read_text(encoding="utf-8")):
                    yield from (f"{area}.{suite}.{case}" for area in areas)

    def complaint(self, named):
        """Why a name is none; None where it is one."""
        kind, separator, rest = named.partition(":")
        if separator:
            return self.complaint_of_test(rest)
        if named.startswith("aou~"):
            return None if named in self.assumptions else f"there is no {named}"
        name = named if named.count("~") == 1 else named.rsplit("~", 1)[0]
        if name not in self.revisions:
            return f"there is no {named}"
        return None if named in (name, self.revisions[name]) else f"{named}: the requirement is {self.revisions[name]}"

    def complaint_of_test(self, name):
        """A test has passed where there are results; it is in the sources."""
        if self.has_results and name not in self.passed:
            return f"{name} has not passed"
        return None if self.is_written(name) else f"no source has a test {name}"

    def is_written(self, name):
        """Whether a case of a suite, or a command of CTest, has that name."""
        area, _, rest = name.partition(".")
        if re.fullmatch(r"[A-Z]\w*\.[A-Z]\w*", rest):
            return name in self.cases
        if any(re.search(rf"(?<![\w.]){re.escape(name)}(?![\w.])", text) for text in self.texts_of("")):
            return True
        # A command whose name is put together: its area, or that of all boards, and its words in the area's folder.
        is_board = (self.root / "hal/boards" / area).is_dir()
        folder = "baremetal" if is_board else area
        prefix = "${PIANOLA_BOARD}." if is_board else f"{area}."
        words = [re.compile(rf"(?<![\w-]){re.escape(word)}(?![\w-])") for word in rest.split(".")]
        if (self.root / "tests" / folder).is_dir():
            texts = self.texts_of(folder)
            return any(prefix in text for text in texts) and any(words[-1].search(text) for text in texts)
        return any(prefix in text and all(word.search(text) for word in words) for text in self.texts_of(""))

    def texts_of(self, area):
        """The texts of the folder of an area; without one, all lists of CMake."""
        if area not in self.lists:
            folder = self.root / "tests" / area
            paths = [path for pattern in LISTS for path in folder.glob(pattern)] if area else \
                [*(self.root / "tests").rglob("CMakeLists.txt"), *(self.root / "tests").rglob("*.cmake")]
            self.lists[area] = [path.read_text(encoding="utf-8") for path in sorted(paths)]
        return self.lists[area]
