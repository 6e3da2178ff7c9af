#include "docs/examples/road_signs/signs.h"

#include <algorithm>
#include <cmath>

#include "docs/examples/road_signs/font.h"

namespace pianola::sample {

namespace {

constexpr Colour kRed{0.78, 0.08, 0.13};
constexpr Colour kWhite{0.95, 0.95, 0.95};
constexpr Colour kBlack{0.07, 0.07, 0.07};
constexpr Colour kBlue{0.02, 0.30, 0.68};
constexpr Colour kYellow{0.98, 0.76, 0.08};

constexpr double kSqrt2 = 1.4142135623730951;
constexpr double kSqrt3 = 1.7320508075688772;

struct Box {
    double half_width;
    double half_height;
};

bool in_box(double u, double v, Box box) noexcept {
    return (std::fabs(u) <= box.half_width) && (std::fabs(v) <= box.half_height);
}

bool in_disc(double u, double v, double radius) noexcept {
    return ((u * u) + (v * v)) <= (radius * radius);
}

bool in_octagon(double u, double v, double inner_radius) noexcept {
    const double a = std::fabs(u);
    const double b = std::fabs(v);
    return (std::max(a, b) <= inner_radius) && ((a + b) <= (inner_radius * kSqrt2));
}

// Distance to the nearest side of an equilateral triangle that stands on its point, positive inside. Its centre is 0,
// its inner radius 0.62.
double triangle_depth(double u, double v) noexcept {
    constexpr double kInnerRadius = 0.62;
    const double top = v + kInnerRadius;
    const double side = kInnerRadius - ((v * 0.5) + (std::fabs(u) * (kSqrt3 / 2.0)));
    return std::min(top, side);
}

// Text stretched over a box around the origin.
bool in_text(std::string_view text, double u, double v, Box box) noexcept {
    if (!in_box(u, v, box)) {
        return false;
    }
    const double column = ((u + box.half_width) / (2.0 * box.half_width)) * static_cast<double>(text_width(text));
    const double row = ((v + box.half_height) / (2.0 * box.half_height)) * static_cast<double>(kGlyphHeight);
    return text_dot(text, static_cast<std::size_t>(column), static_cast<std::size_t>(row));
}

bool stop_colour(double u, double v, Colour& colour) noexcept {
    if (!in_octagon(u, v, 0.95)) {
        return false;
    }
    const bool white = !in_octagon(u, v, 0.86) || in_text("STOP", u, v, Box{0.72, 0.30});
    colour = white ? kWhite : kRed;
    return true;
}

bool yield_colour(double u, double v, Colour& colour) noexcept {
    const double depth = triangle_depth(u, v + 0.2);
    colour = (depth < 0.0) ? colour : ((depth < 0.24) ? kRed : kWhite);
    return depth >= 0.0;
}

bool danger_colour(double u, double v, Colour& colour) noexcept {
    const double depth = triangle_depth(u, 0.2 - v);
    if (depth < 0.0) {
        return false;
    }
    const bool mark = in_box(u, v - 0.02, Box{0.10, 0.30}) || in_disc(u, v - 0.50, 0.11);
    colour = mark ? kBlack : ((depth < 0.18) ? kRed : kWhite);
    return true;
}

bool speed_limit_colour(std::uint32_t variant, double u, double v, Colour& colour) noexcept {
    constexpr std::array<std::string_view, 6> kSpeeds{"30", "50", "60", "70", "80", "90"};
    if (!in_disc(u, v, 1.0)) {
        return false;
    }
    const bool digit = in_text(kSpeeds[variant % kSpeeds.size()], u, v, Box{0.52, 0.40});
    colour = digit ? kBlack : (in_disc(u, v, 0.77) ? kWhite : kRed);
    return true;
}

bool no_entry_colour(double u, double v, Colour& colour) noexcept {
    if (!in_disc(u, v, 1.0)) {
        return false;
    }
    const bool white = !in_disc(u, v, 0.94) || in_box(u, v, Box{0.70, 0.19});
    colour = white ? kWhite : kRed;
    return true;
}

bool priority_colour(double u, double v, Colour& colour) noexcept {
    const double reach = std::fabs(u) + std::fabs(v);
    if (reach > 1.10) {
        return false;
    }
    colour = (reach > 1.04) ? kBlack : ((reach > 0.74) ? kWhite : kYellow);
    return true;
}

// The arrow points to negative u.
bool turn_colour(double u, double v, Colour& colour) noexcept {
    if (!in_disc(u, v, 1.0)) {
        return false;
    }
    const bool shaft = in_box(u - 0.22, v, Box{0.46, 0.14});
    const bool head = (u >= -0.72) && (u <= -0.08) && (std::fabs(v) <= ((u + 0.72) * 0.85));
    const bool rim = !in_disc(u, v, 0.93);
    colour = (shaft || head || rim) ? kWhite : kBlue;
    return true;
}

}  // namespace

bool sign_colour(const SignFace& face, double u, double v, Colour& colour) noexcept {
    switch (face.kind) {
        case SignClass::kStop:
            return stop_colour(u, v, colour);
        case SignClass::kYield:
            return yield_colour(u, v, colour);
        case SignClass::kSpeedLimit:
            return speed_limit_colour(face.variant, u, v, colour);
        case SignClass::kNoEntry:
            return no_entry_colour(u, v, colour);
        case SignClass::kPriorityRoad:
            return priority_colour(u, v, colour);
        case SignClass::kTurnLeft:
            return turn_colour(u, v, colour);
        case SignClass::kTurnRight:
            return turn_colour(-u, v, colour);
        case SignClass::kDanger:
            return danger_colour(u, v, colour);
    }
    return false;
}

}  // namespace pianola::sample
