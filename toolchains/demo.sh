#!/usr/bin/env bash
# The main job on our own sample: makes a small road-sign classifier, captures it, verifies the binary, replays it over
# 256 pictures that training never saw, and prints what came out. Everything lands in build/demo.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

cmake --preset release
cmake --build --preset release --parallel "$(nproc)" --target pianola pianola_sample
bin=$PWD/build/release/bin
out=$PWD/build/demo
mkdir -p "$out"

say() { printf '\n\033[1m$ %s\033[0m\n' "$*"; }
run() {
    say "$(basename "$1")" "${@:2}"
    "$@"
}
cd "$out"
run "$bin/pianola-sample" --out . --sheet signs.ppm
run "$bin/pianola" capture road_signs.tflite -o road_signs.ptb --self-test 4
run "$bin/pianola" verify road_signs.ptb
run "$bin/pianola" run road_signs.ptb --self-test --batch --input test_images.bin --output scores.bin
run "$bin/pianola-sample" evaluate --dir . --outputs scores.bin --require 95
printf '\nEverything is in %s: the binary road_signs.ptb, and the pictures in signs.ppm.\n' "build/demo"
