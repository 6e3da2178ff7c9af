#!/usr/bin/env bash
# Runs clang-tidy on the given sources, or on all, without compiling them: toolchains/lint.sh [file.cpp ...] Headers are
# looked at through the sources that include them. Clean results are remembered in the user's cache folder, by content.
# A run over all sources reads host sources of one target as one text, eight at a time, because headers take most of the
# time. It does not see that a source lacks an include or a declaration; a run that names the source does.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# The tidy preset's compile commands are those of clang++-19, whose options clang-tidy understands. Configuring is quick
# where nothing changed, and notices new files.
cmake --preset tidy >/dev/null

# Generated headers must exist before what includes them can be read. Ninja keeps a target of its own for what the
# objects of each target wait for.
mapfile -t generated < <(ninja -C build/tidy -t targets all | grep -o '^cmake_object_order_depends_target_[^:]*')
ninja -C build/tidy "${generated[@]}" pianola_tidy_plugin

if [ "$#" -gt 0 ]; then
    files=("$@")
    together=1
else
    together=8
    mapfile -t files < <(git ls-files --cached --others --exclude-standard -- '*.cpp' ':!tests/consumers')
fi
toolchains/tidy.py --cache "${XDG_CACHE_HOME:-$HOME/.cache}/pianola/tidy" --plugin build/tidy/pianola_tidy_plugin.so \
    --record build/tidy/linted --together "$together" --build build/tidy "${files[@]}"
echo "lint: ${#files[@]} sources, no findings"
