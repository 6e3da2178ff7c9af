#!/usr/bin/env bash
# Counts the instructions of inference and verification in a release build, and fails where one exceeds its threshold
# (tests/bench/thresholds.json): toolchains/bench.sh [--json]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --preset release >/dev/null
cmake --build --preset release --parallel "$(nproc)" --target pianola --target pianola_bench >/dev/null
exec tests/bench/measure.py --bench build/release/bin/pianola_bench --pianola build/release/bin/pianola \
    --models ../shared/models --thresholds tests/bench/thresholds.json "$@"
