// A separate file: no compiler looks from one file into another, so calls of them stay calls.
#include "hal/measure/markers.h"

extern "C" void pianola_count_begin() noexcept {}
extern "C" void pianola_count_end() noexcept {}
extern "C" void pianola_count_pause() noexcept {}
extern "C" void pianola_count_resume() noexcept {}
extern "C" void pianola_count_cut() noexcept {}
