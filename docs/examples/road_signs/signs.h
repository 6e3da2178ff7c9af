// Signs: what the eight kinds of road sign look like, as geometry.
//
// The scene (scene.h) puts one of them somewhere in a picture. Coordinates are the sign's own: u to the right, v down,
// the sign about inside the unit circle. The shapes follow the Vienna Convention on Road Signs and Signals, which is
// what people expect, without being anybody's drawing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace pianola::sample {

enum class SignClass : std::uint8_t {
    kStop = 0U,
    kYield = 1U,
    kSpeedLimit = 2U,
    kNoEntry = 3U,
    kPriorityRoad = 4U,
    kTurnLeft = 5U,
    kTurnRight = 6U,
    kDanger = 7U,
};

inline constexpr std::size_t kClassCount = 8U;
inline constexpr std::array<std::string_view, kClassCount> kClassNames{
    "stop", "yield", "speed_limit", "no_entry", "priority_road", "turn_left", "turn_right", "danger"};

// 0 is black and 1 is white, before the scene's light.
struct Colour {
    double red{0.0};
    double green{0.0};
    double blue{0.0};
};

// Variants differ in what is written on the sign (speed limits); any number is legal.
struct SignFace {
    SignClass kind{SignClass::kStop};
    std::uint32_t variant{0U};
};

// The colour of the face at (u, v). False where the sign does not reach; colour is then untouched.
[[nodiscard]] bool sign_colour(const SignFace& face, double u, double v, Colour& colour) noexcept;

}  // namespace pianola::sample
