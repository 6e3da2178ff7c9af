#!/usr/bin/env python3
"""Holds that nothing of the Vulkan device goes past the shim: an executable's calls to the loader, by its symbols.

usage: shim_test.py NM EXECUTABLE. Only what can neither make anything nor fail may be the loader's own.
"""
import re
import subprocess
import sys

HARMLESS = re.compile(r"vkCmd\w+|vkGetBufferMemoryRequirements|vkGetInstanceProcAddr|"
                      r"vkEnumerateInstanceLayerProperties")


def main():
    nm, executable = sys.argv[1:]
    command = [nm, "--dynamic", "--undefined-only", executable]
    listed = subprocess.run(command, capture_output=True, text=True, check=True)
    names = [name.split("@")[0] for line in listed.stdout.splitlines() for name in line.split()[-1:]]
    calls = sorted(name for name in names if re.match(r"vk[A-Z]", name))
    escaped = [name for name in calls if not HARMLESS.fullmatch(name)]
    if not calls:
        sys.exit(f"shim_test.py: {executable} has nothing of Vulkan")
    if escaped:
        sys.exit(f"shim_test.py: past the shim go {', '.join(escaped)}")
    print(f"{len(calls)} calls go to the loader itself: {', '.join(calls)}")


if __name__ == "__main__":
    main()
