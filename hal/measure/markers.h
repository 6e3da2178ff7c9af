// Markers: where what is counted begins and ends.
//
// instruction_counter.c, inside the emulator, knows the five functions by their addresses. Defined in markers.cpp:
// calls of them are neither inlined nor left out.
#pragma once

extern "C" void pianola_count_begin() noexcept;   // a section begins
extern "C" void pianola_count_end() noexcept;     // and ends
extern "C" void pianola_count_pause() noexcept;   // what follows is not part of it
extern "C" void pianola_count_resume() noexcept;  // it is again
extern "C" void pianola_count_cut() noexcept;     // the section under way ends here, and the next begins
