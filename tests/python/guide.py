"""Code blocks of the public guides on traces and two queues, taken from the seed files when the tests run.

Nothing of the guides is kept in this project. One of them is a page whose mark-up was lost: its code stands between
paragraphs, and the bodies of its loops have lost their indentation. The rules by which it comes back:

  code    a line that is a comment or begins like a statement (`CODE`); a block is a run of at least three such lines;
  calls   a run of fewer lines is a call that the guide explains;
  loops   a body reaches to where its own first line comes again, which is where the guide writes the last iteration
          out, or else to the end of the block.

The other guide is Markdown: its blocks are those that are fenced as python.
"""
import os
import pathlib
import re

TRACE_AND_QUEUES = "advanced-performance-metal-trace-and-multi-cq.txt"
STEP_FOUR = "step-04-metal-trace.txt"
CODE = re.compile(r"# |ttnn\.|assert |for \w+ in |\w+ = [\w\[]|\w+\.(append|deallocate)\(")
INDENT = "    "


def seeds():
    """The folder of the guides, or None where it is not there."""
    shared = os.environ.get("PIANOLA_SHARED") or pathlib.Path(__file__).parents[3] / "shared"
    folder = pathlib.Path(shared) / "seeds"
    return folder if (folder / TRACE_AND_QUEUES).is_file() and (folder / STEP_FOUR).is_file() else None


def indented(lines):
    """`lines`, with the bodies of loops indented again."""
    done, body_begin, inside = [], None, False
    for index, line in enumerate(lines):
        if inside and index > body_begin and line == lines[body_begin]:
            inside = False
        done.append(INDENT + line if inside else line)
        if line.startswith("for ") and line.endswith(":"):
            body_begin, inside = index + 1, True
    return done


def runs_of_code(text):
    """Runs of lines that are code, in the order of the page."""
    run = []
    for line in [*text.splitlines(), ""]:
        if CODE.match(line):
            run.append(line)
        elif run:
            yield run
            run = []


def page_blocks(text):
    """(blocks, calls, decorators) of the page: sources of the examples, the calls that it explains, and what it says
    for pytest."""
    runs = list(runs_of_code(text))
    blocks = ["\n".join(indented(run)) + "\n" for run in runs if len(run) >= 3]
    calls = [line for run in runs if len(run) < 3 for line in run]
    decorators = [line[line.index("@pytest"):] for line in text.splitlines() if "@pytest" in line]
    return blocks, calls, decorators


def fenced_blocks(text):
    """Blocks that are fenced as python."""
    return re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)


def read(name):
    """One guide's text."""
    return (seeds() / name).read_text(encoding="utf-8")
