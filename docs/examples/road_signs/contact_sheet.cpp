#include "docs/examples/road_signs/contact_sheet.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "docs/examples/road_signs/font.h"

namespace pianola::sample {

namespace {

using Pixel = std::array<std::uint8_t, kImageChannels>;

constexpr std::size_t kZoom = 3U;
constexpr std::size_t kTextZoom = 2U;
constexpr std::size_t kGap = 4U;
constexpr std::size_t kCellWidth = (kImageSide * kZoom) + (2U * kGap) + 4U;
constexpr std::size_t kCellHeight = (kImageSide * kZoom) + (3U * kGap) + (kGlyphHeight * kTextZoom);
constexpr Pixel kPaper{250U, 250U, 246U};
constexpr Pixel kInk{30U, 30U, 30U};

class Page {
  public:
    Page(std::size_t width, std::size_t height, Pixel paper)
        : width_{width}, height_{height}, pixels_(width * height, paper) {}

    void fill(std::size_t left, std::size_t top, std::size_t side, Pixel pixel) {
        for (std::size_t y = top; y < std::min(top + side, height_); ++y) {
            for (std::size_t x = left; x < std::min(left + side, width_); ++x) {
                pixels_[(y * width_) + x] = pixel;
            }
        }
    }

    void draw_image(std::size_t left, std::size_t top, const Image& image, std::size_t zoom) {
        for (std::size_t at = 0U; at < (kImageSide * kImageSide); ++at) {
            const std::size_t first = at * kImageChannels;
            fill(left + ((at % kImageSide) * zoom), top + ((at / kImageSide) * zoom), zoom,
                 Pixel{image[first], image[first + 1U], image[first + 2U]});
        }
    }

    void draw_text(std::size_t left, std::size_t top, std::string_view text) {
        for (std::size_t row = 0U; row < kGlyphHeight; ++row) {
            for (std::size_t column = 0U; column < text_width(text); ++column) {
                if (text_dot(text, column, row)) {
                    fill(left + (column * kTextZoom), top + (row * kTextZoom), kTextZoom, kInk);
                }
            }
        }
    }

    [[nodiscard]] std::string to_ppm() const {
        std::string file = "P6\n" + std::to_string(width_) + " " + std::to_string(height_) + "\n255\n";
        file.reserve(file.size() + (pixels_.size() * kImageChannels));
        for (const Pixel& pixel : pixels_) {
            for (const std::uint8_t value : pixel) {
                file.push_back(static_cast<char>(value));
            }
        }
        return file;
    }

  private:
    std::size_t width_;
    std::size_t height_;
    std::vector<Pixel> pixels_;
};

}  // namespace

std::string image_to_ppm(const Image& image, std::size_t zoom) {
    Page page{kImageSide * zoom, kImageSide * zoom, kPaper};
    page.draw_image(0U, 0U, image, zoom);
    return page.to_ppm();
}

std::string make_sheet(const std::vector<Example>& examples) {
    constexpr std::size_t kSheetPictures = 64U;
    constexpr std::size_t kColumns = 8U;
    const std::size_t count = std::min(kSheetPictures, examples.size());
    const std::size_t rows = (count + kColumns - 1U) / kColumns;
    Page page{(kColumns * kCellWidth) + kGap, (rows * kCellHeight) + kGap, kPaper};
    for (std::size_t i = 0U; i < count; ++i) {
        const std::string_view label = kClassNames.at(examples[i].label);
        const std::size_t left = kGap + ((i % kColumns) * kCellWidth);
        const std::size_t top = kGap + ((i / kColumns) * kCellHeight);
        const std::size_t slack = kCellWidth - std::min(kCellWidth, text_width(label) * kTextZoom);
        page.draw_image(left + ((kCellWidth - (kImageSide * kZoom)) / 2U), top, examples[i].image, kZoom);
        page.draw_text(left + (slack / 2U), top + (kImageSide * kZoom) + kGap, label);
    }
    return page.to_ppm();
}

}  // namespace pianola::sample
