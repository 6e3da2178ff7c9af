// Buffers of the probe schema.
//
// For the tests of what schemac makes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pianola::test {

// What a buffer says; every member starts legal.
struct ProbeValues {
    std::uint8_t colour{1U};
    std::uint16_t wide{2U};
    std::vector<std::uint8_t> colours{1U, 3U, 1U};
    std::vector<std::uint16_t> wides{258U, 2U};
    std::vector<std::uint8_t> flags{0U, 1U, 1U};
    std::vector<std::string> names{"one", "two"};
    std::size_t points{2U};
    std::string twig_name{"twig"};
    std::vector<std::uint8_t> leaf_colours{1U, 3U};
    std::size_t twigs{2U};
    std::uint8_t last_twig_colour{3U};
    bool has_spare{true};
    std::uint8_t spare_flag{1U};
    std::uint8_t thing_type{1U};
    std::uint8_t thing_colour{3U};
    bool thing_is_there{true};
};

[[nodiscard]] std::vector<std::uint8_t> encode(const ProbeValues& values);

}  // namespace pianola::test
