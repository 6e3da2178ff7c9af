// Proof that the sanitizers of the asan and tsan presets end a test that does something wrong: does the wrong thing
// which its argument names.
//
// Run by CTest in those presets only, which expects the sanitizer's report. Built in every preset, so that it is linted
// with all other sources.
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <string_view>
#include <thread>

namespace {

// The optimiser and the static analyser do not know what it returns.
[[nodiscard]] std::uint32_t opaque(std::uint32_t value) {
    const volatile std::uint32_t hidden = value;
    return hidden;
}

[[nodiscard]] std::uint32_t read_behind_the_end() {
    const auto bytes = std::make_unique<std::array<std::uint8_t, 16>>();
    return bytes->data()[opaque(16U)];
}

[[nodiscard]] std::int32_t overflow() {
    return std::numeric_limits<std::int32_t>::max() + static_cast<std::int32_t>(opaque(1U));
}

[[nodiscard]] std::uint32_t race() {
    std::uint32_t shared = 0U;
    std::thread other{[&shared] { shared += opaque(1U); }};
    shared += opaque(1U);
    other.join();
    return shared;
}

}  // namespace

int main(int argument_count, char** arguments) {
    const std::string_view what{(argument_count > 1) ? arguments[1] : ""};
    std::uint32_t result = 0U;
    if (what == "overrun") {
        result = read_behind_the_end();
    } else if (what == "overflow") {
        result = static_cast<std::uint32_t>(overflow());
    } else if (what == "race") {
        result = race();
    } else {
        return 2;
    }
    // AddressSanitizer and UndefinedBehaviorSanitizer do not let the program get here.
    return (std::fputs((result == 0U) ? "0\n" : "not 0\n", stdout) < 0) ? 1 : 0;
}
