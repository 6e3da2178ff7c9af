#!/usr/bin/env bash
# Runs the fuzzers of tests/fuzz under libFuzzer and prints a table: seed, runs, edges covered, executions per second.
# docs/evidence/fuzzing.md explains them. The same seed, runs and build give the same inputs: seeds are read in the
# order of their names, nothing depends on a clock, and addresses are not randomised. Fails where a fuzzer finds
# something, and says where the input lies.
#
#   toolchains/fuzz.sh [--runs N] [--seed S] [--no-build] [fuzzer...]      without --runs, the long run; without a
#   fuzzer, all
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

declare -A long_runs=([envelope]=4000000 [manifest]=1500000 [decoder]=500000 [importer]=4000000 [cli]=20000
    [json]=200000)
# Bytes of an input. Each command of a trace executes, and what a long one does, a short one does too.
declare -A max_bytes=([envelope]=4096 [manifest]=4096 [decoder]=1024 [importer]=4096 [cli]=4096 [json]=4096)
all=(envelope manifest decoder importer cli json)
runs=""
seed=1
build=1
fuzzers=()
usage() {
    echo "usage: toolchains/fuzz.sh [--runs N] [--seed S] [--no-build] [${all[*]}]" >&2
    exit 2
}
while [ "$#" -gt 0 ]; do
    case "$1" in
        --runs | --seed)
            [[ "${2:-}" =~ ^[1-9][0-9]*$ ]] || usage
            if [ "$1" = --runs ]; then runs="$2"; else seed="$2"; fi
            shift
            ;;
        --no-build) build=0 ;;
        *)
            [ -n "${long_runs[$1]:-}" ] || usage
            fuzzers+=("$1")
            ;;
    esac
    shift
done
if [ "${#fuzzers[@]}" -eq 0 ]; then
    fuzzers=("${all[@]}")
fi
if [ "$build" -eq 1 ]; then
    cmake --preset asan
    cmake --build --preset fuzzers
fi

out="$PWD/build/asan/fuzzing"
mkdir -p "$out/findings"
"$PWD/build/asan/bin/pianola_fuzz_seeds" "$out/seeds"

# Every seed of a fuzzer, sorted, separated by commas.
seed_inputs() {
    local folders=("$out/seeds/$1")
    if [ -d "tests/fuzz/corpus/$1" ]; then
        folders=("$PWD/tests/fuzz/corpus/$1")
    fi
    if [ -d "tests/fuzz/regressions/$1" ]; then
        folders+=("$PWD/tests/fuzz/regressions/$1")
    fi
    find "${folders[@]}" -type f -size +0 | LC_ALL=C sort | paste -sd,
}

failed=()
rows=()
for fuzzer in "${fuzzers[@]}"; do
    count="${runs:-${long_runs[$fuzzer]}}"
    log="$out/$fuzzer.log"
    echo "fuzz: $fuzzer, $count runs, seed $seed" >&2
    options=(-seed="$seed" -runs="$count" -max_len="${max_bytes[$fuzzer]}" -timeout=60 -rss_limit_mb=4096 -reload=0
        -artifact_prefix="$out/findings/$fuzzer-" -seed_inputs="$(seed_inputs "$fuzzer")")
    dictionary="tests/fuzz/corpus/$fuzzer.dict"
    if [ -e "$dictionary" ]; then
        options+=(-dict="$dictionary")
    fi
    if ! setarch --addr-no-randomize "$PWD/build/asan/bin/pianola_fuzz_$fuzzer" "${options[@]}" >"$log" 2>&1; then
        failed+=("$fuzzer")
        tail -n 40 "$log" >&2
        continue
    fi
    # "#200000 DONE cov: 1200 ft: 3400 corp: 300/100Kb lim: 4096 exec/s: 10000 rss: 440Mb"
    read -r -a done_line <<<"$(grep -E '^#[0-9]+[[:space:]]+DONE' "$log" | tail -n 1)"
    rows+=("| $fuzzer | $seed | $count | ${done_line[3]} | ${done_line[11]} |")
done

echo "| fuzzer | seed | runs | edges covered | executions/s |"
echo "|---|---|---|---|---|"
if [ "${#rows[@]}" -gt 0 ]; then
    printf '%s\n' "${rows[@]}"
fi
if [ "${#failed[@]}" -gt 0 ]; then
    echo "fuzz: findings of ${failed[*]} in $out/findings" >&2
    exit 1
fi
