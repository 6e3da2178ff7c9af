#!/usr/bin/env bash
# Builds and tests everything: release (all tests and gates), the boards, asan, tsan, coverage, tidy. Ends with one line
# "N passed, N failed" over all of them, after the minutes of each step and the names of what failed or was skipped, and
# fails where a step failed or no test ran.
#
#   toolchains/test.sh [preset ...]      only these presets
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

mapfile -t boards < <(toolchains/boards.py)
mapfile -t meshes < <(toolchains/boards.py --mesh)
presets=("$@")
if [ "${#presets[@]}" -eq 0 ]; then
    presets=(release "${boards[@]}" "${meshes[@]}" asan tsan coverage tidy)
fi

# Builds a preset; a board at both optimisation levels. -k 0 shows every finding at once instead of one per run. What
# tidy looks at is not compiled once more.
build() {
    if [ "$1" = tidy ]; then
        toolchains/lint.sh
        return
    fi
    cmake --build --preset "$1" --parallel "$jobs" -- -k 0 || return 1
    if [[ " ${boards[*]} " == *" $1 "* ]]; then
        cmake --build --preset "$1-size" --parallel "$jobs" -- -k 0 || return 1
    fi
}

jobs=$(nproc)
tests_at_once=$((jobs + 1))  # some wait: for packages, terminals, a cluster
results=()
failed_steps=()
minutes=()
# Runs a command and notes how long it took, whatever it came to.
timed() {
    local name=$1 started=$SECONDS code=0
    shift
    "$@" || code=$?
    minutes+=("$(printf '%-28s %5d:%02d' "$name" $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60)))")
    return "$code"
}
for preset in "${presets[@]}"; do
    echo "=== $preset"
    result="build/$preset/test_results.xml"
    rm -f "$result"
    if ! cmake --preset "$preset"; then
        failed_steps+=("$preset: configure")
    elif ! timed "$preset: build" build "$preset"; then
        failed_steps+=("$preset: build")
    else
        # Failing tests show in the result file. A ctest that fails without one, or writes none, is a failed step.
        code=0
        timed "$preset: tests" ctest --preset "$preset" --parallel "$tests_at_once" --output-junit "$PWD/$result" \
            --test-output-size-passed 65536 || code=$?
        if [ ! -e "$result" ]; then
            failed_steps+=("$preset: ctest wrote no results")
        else
            results+=("$result")
            if [ "$code" -ne 0 ] && toolchains/summarise_tests.py "$result" >/dev/null; then
                failed_steps+=("$preset: ctest failed with code $code")
            fi
        fi
    fi
done

# Of a whole run: whether what passed is all that the safety package relies on.
if [ "$#" -eq 0 ]; then
    echo "=== safety"
    failed_parts=build/safety_pack.failed
    rm -f "$failed_parts"
    timed "safety package" \
        docs/safety/tools/safety_pack.py --check --results "${results[@]}" --failed "$failed_parts" ||
        failed_steps+=("safety: $(cat "$failed_parts" 2>/dev/null || echo "safety_pack.py ended early")")
fi

echo "=== minutes"
printf '%s\n' "${minutes[@]}" "$(printf '%-28s %5d:%02d' "in all" $((SECONDS / 60)) $((SECONDS % 60)))"
toolchains/summarise_tests.py --failed-steps "${#failed_steps[@]}" -- "${failed_steps[@]}" "${results[@]}"
