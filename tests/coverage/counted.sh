#!/usr/bin/env bash
# Runs a compiler, and fails where it leaves a decision uncounted: clang warns of that in a way that -Werror does not
# see.
#
#   counted.sh <compiler> [argument ...]
set -uo pipefail
exec 3>&1
said=$("$@" 2>&1 >&3)
code=$?
if [ -n "$said" ]; then
    printf '%s\n' "$said" >&2
    case "$said" in
    *"unsupported MC/DC"*)
        echo "counted.sh: the decision above can not be counted: take it apart" >&2
        exit 1
        ;;
    esac
fi
exit "$code"
