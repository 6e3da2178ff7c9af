// FlatBuffers' assertion macro, in every target of the project (set by the CMake target pianola_flatbuffers).
//
// The library's default assertion prints and aborts, which links the C library's heap into target images. Each
// assertion that our code can reach is about structure that a verifier has already proved, so nothing is checked here.
// One definition for all: inline functions of the library must not differ between translation units.
#pragma once

inline constexpr void pianola_flatbuffers_assert(bool /*condition*/) noexcept {}
