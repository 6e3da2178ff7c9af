#include "docs/examples/road_signs/scene.h"

#include <algorithm>
#include <cmath>

#include "docs/examples/road_signs/exact_math.h"

namespace pianola::sample {

namespace {

constexpr auto kSide = static_cast<double>(kImageSide);
constexpr std::size_t kSubsamples = 3U;  // per pixel and direction

using Canvas = std::array<Colour, kImageSide * kImageSide>;

struct Point {
    double x;
    double y;
};

// Upper left corner of a cell of a grid that has `columns` cells per row.
Point corner_of(std::size_t cell, std::size_t columns) noexcept {
    const std::size_t row = cell / columns;
    const std::size_t column = cell % columns;
    return Point{static_cast<double>(column), static_cast<double>(row)};
}

Point middle_of(std::size_t pixel) noexcept {
    const Point corner = corner_of(pixel, kImageSide);
    return Point{corner.x + 0.5, corner.y + 0.5};
}

Colour mix_colours(const Colour& from, const Colour& to, double share) noexcept {
    return Colour{from.red + ((to.red - from.red) * share), from.green + ((to.green - from.green) * share),
                  from.blue + ((to.blue - from.blue) * share)};
}

Colour any_colour(Prng& prng) noexcept {
    Colour colour;
    colour.red = prng.unit();
    colour.green = prng.unit();
    colour.blue = prng.unit();
    return colour;
}

// In this file every draw from the Prng is a separate statement, or alone in one, or inside braces: otherwise the order
// in which a compiler evaluates the arguments of a call would decide the picture.

// Something greyish, of the tint that the middle values give.
Colour around(Prng& prng, const Colour& middle, double spread) noexcept {
    const double light = prng.uniform(-spread, spread);
    Colour colour;
    colour.red = middle.red + light + prng.uniform(-0.08, 0.08);
    colour.green = middle.green + light + prng.uniform(-0.08, 0.08);
    colour.blue = middle.blue + light + prng.uniform(-0.08, 0.08);
    return colour;
}

void draw_background(Canvas& canvas, Prng& prng) noexcept {
    constexpr std::array<Colour, 4> kGrounds{Colour{0.35, 0.45, 0.22}, Colour{0.45, 0.38, 0.30},
                                             Colour{0.42, 0.42, 0.44}, Colour{0.22, 0.30, 0.18}};
    const Colour zenith = around(prng, Colour{0.45, 0.58, 0.74}, 0.25);
    const Colour haze = around(prng, Colour{0.68, 0.70, 0.72}, 0.20);
    const Colour ground = around(prng, kGrounds[prng.below(kGrounds.size())], 0.15);
    const double horizon = prng.uniform(0.3, 0.9) * kSide;
    for (std::size_t y = 0U; y < kImageSide; ++y) {
        const double height = static_cast<double>(y) / horizon;
        const Colour colour = (height < 1.0) ? mix_colours(zenith, haze, height) : ground;
        for (std::size_t x = 0U; x < kImageSide; ++x) {
            canvas[(y * kImageSide) + x] = colour;
        }
    }
}

// Houses, trees, cars: boxes and discs of any colour.
void draw_clutter(Canvas& canvas, Prng& prng) noexcept {
    const std::uint32_t count = 2U + prng.below(6U);
    for (std::uint32_t i = 0U; i < count; ++i) {
        const Colour vivid = any_colour(prng);
        const Colour colour = mix_colours(vivid, Colour{0.45, 0.47, 0.42}, prng.uniform(0.0, 0.8));
        const double centre_x = prng.uniform(0.0, kSide);
        const double centre_y = prng.uniform(0.0, kSide);
        const double half_width = prng.uniform(1.0, 9.0);
        const double half_height = prng.uniform(1.0, 9.0);
        const bool round = prng.chance(0.4);
        const double cover = prng.uniform(0.4, 1.0);
        for (std::size_t at = 0U; at < canvas.size(); ++at) {
            const Point middle = middle_of(at);
            const double u = (middle.x - centre_x) / half_width;
            const double v = (middle.y - centre_y) / half_height;
            const bool inside = round ? (((u * u) + (v * v)) <= 1.0) : ((std::fabs(u) <= 1.0) && (std::fabs(v) <= 1.0));
            if (inside) {
                canvas[at] = mix_colours(canvas[at], colour, cover);
            }
        }
    }
}

// Where the sign is: picture coordinates to the sign's own.
struct Pose {
    double centre_x{0.0};
    double centre_y{0.0};
    double uu{0.0};  // (u, v) = matrix * (x - centre_x, y - centre_y)
    double uv{0.0};
    double vu{0.0};
    double vv{0.0};
};

Pose any_pose(Prng& prng) noexcept {
    const double radius = prng.uniform(9.0, 14.5);
    const double angle = prng.uniform(-0.22, 0.22);
    const double narrowing = prng.uniform(0.80, 1.0);  // seen from the side
    const double slant = prng.uniform(-0.12, 0.12);
    const double play = (kSide / 2.0) - (radius * 0.92);
    Pose pose;
    pose.centre_x = (kSide / 2.0) + prng.uniform(-play, play);
    pose.centre_y = (kSide / 2.0) + prng.uniform(-play, play);
    const double cosine = cos_of(angle) / radius;
    const double sine = sin_of(angle) / radius;
    pose.uu = (cosine / narrowing);
    pose.uv = (sine / narrowing);
    pose.vu = (-sine) + (slant * cosine);
    pose.vv = cosine + (slant * sine);
    return pose;
}

void draw_pole(Canvas& canvas, const Pose& pose, Prng& prng) noexcept {
    const Colour colour = around(prng, Colour{0.50, 0.50, 0.50}, 0.2);
    const double half_width = prng.uniform(0.5, 1.2);
    for (std::size_t at = 0U; at < canvas.size(); ++at) {
        const Point middle = middle_of(at);
        if ((middle.y > pose.centre_y) && (std::fabs(middle.x - pose.centre_x) <= half_width)) {
            canvas[at] = colour;
        }
    }
}

void draw_sign(Canvas& canvas, const SignFace& face, const Pose& pose) noexcept {
    constexpr double kShare = 1.0 / static_cast<double>(kSubsamples * kSubsamples);
    for (std::size_t at = 0U; at < canvas.size(); ++at) {
        Colour sum;
        for (std::size_t sub = 0U; sub < (kSubsamples * kSubsamples); ++sub) {
            constexpr auto kPerSide = static_cast<double>(kSubsamples);
            const Point corner = corner_of(at, kImageSide);
            const Point within = corner_of(sub, kSubsamples);
            const double x = (corner.x + ((within.x + 0.5) / kPerSide)) - pose.centre_x;
            const double y = (corner.y + ((within.y + 0.5) / kPerSide)) - pose.centre_y;
            Colour colour = canvas[at];
            // Where the sign does not reach, the background stays.
            (void)sign_colour(face, (pose.uu * x) + (pose.uv * y), (pose.vu * x) + (pose.vv * y), colour);
            sum.red += colour.red;
            sum.green += colour.green;
            sum.blue += colour.blue;
        }
        canvas[at] = Colour{sum.red * kShare, sum.green * kShare, sum.blue * kShare};
    }
}

// A leaf, a sticker or dirt over part of the sign.
void draw_dirt(Canvas& canvas, const Pose& pose, Prng& prng) noexcept {
    const Colour colour = mix_colours(any_colour(prng), Colour{0.25, 0.30, 0.15}, 0.7);
    const double centre_x = pose.centre_x + prng.uniform(-13.0, 13.0);
    const double centre_y = pose.centre_y + prng.uniform(-13.0, 13.0);
    const double radius = prng.uniform(1.5, 4.0);
    for (std::size_t at = 0U; at < canvas.size(); ++at) {
        const Point middle = middle_of(at);
        const double dx = middle.x - centre_x;
        const double dy = middle.y - centre_y;
        if (((dx * dx) + (dy * dy)) <= (radius * radius)) {
            canvas[at] = mix_colours(canvas[at], colour, 0.85);
        }
    }
}

// A small horizontal blur, as of a moving car: each pixel takes this share of its left neighbour.
void smear(Canvas& canvas, double share) noexcept {
    for (std::size_t at = canvas.size() - 1U; at > 0U; --at) {
        if ((at % kImageSide) != 0U) {
            canvas[at] = mix_colours(canvas[at], canvas[at - 1U], share);
        }
    }
}

std::uint8_t to_byte(double value) noexcept {
    return static_cast<std::uint8_t>(round_half_away(std::clamp(value, 0.0, 1.0) * 255.0));
}

// Light of the day, slope of the light over the picture, and the sensor's noise.
Image expose(const Canvas& canvas, Prng& prng) noexcept {
    const double gain = prng.uniform(0.45, 1.15);
    const double lift = prng.uniform(-0.02, 0.10);
    const double slope_x = prng.uniform(-0.25, 0.25) / kSide;
    const double slope_y = prng.uniform(-0.25, 0.25) / kSide;
    const double red = gain * prng.uniform(0.88, 1.12);
    const double green = gain * prng.uniform(0.92, 1.08);
    const double blue = gain * prng.uniform(0.85, 1.15);
    const double noise = prng.uniform(0.005, 0.06);
    Image image{};
    for (std::size_t at = 0U; at < canvas.size(); ++at) {
        const Point corner = corner_of(at, kImageSide);
        const double light = 1.0 + (slope_x * (corner.x - (kSide / 2.0))) + (slope_y * (corner.y - (kSide / 2.0)));
        const std::size_t first = at * kImageChannels;
        image[first] = to_byte((canvas[at].red * light * red) + lift + (prng.normal() * noise));
        image[first + 1U] = to_byte((canvas[at].green * light * green) + lift + (prng.normal() * noise));
        image[first + 2U] = to_byte((canvas[at].blue * light * blue) + lift + (prng.normal() * noise));
    }
    return image;
}

}  // namespace

Image draw_scene(SignClass kind, Prng prng) {
    Canvas canvas{};
    draw_background(canvas, prng);
    draw_clutter(canvas, prng);
    const Pose pose = any_pose(prng);
    if (prng.chance(0.6)) {
        draw_pole(canvas, pose, prng);
    }
    const SignFace face{kind, prng.below(6U)};
    draw_sign(canvas, face, pose);
    if (prng.chance(0.3)) {
        draw_dirt(canvas, pose, prng);
    }
    smear(canvas, prng.uniform(0.0, 0.35));
    return expose(canvas, prng);
}

}  // namespace pianola::sample
