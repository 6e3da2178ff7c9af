// The driver for libFuzzer: the functions that it calls, by the names that it asks for.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>

#include "tests/fuzz/harness.h"

extern "C" {
// libFuzzer's own: defined in its run-time.
// NOLINTNEXTLINE(readability-identifier-naming): DEV-011
std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);
// NOLINTNEXTLINE(readability-identifier-naming): DEV-011
int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
// NOLINTNEXTLINE(readability-identifier-naming): DEV-011
std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed);
}

namespace pianola::fuzz {

void mutate_bytes(Bytes& bytes, std::size_t max_bytes, test::Random& /*random*/) {
    const std::size_t size = std::min(bytes.size(), max_bytes);
    bytes.resize(max_bytes);
    bytes.resize(LLVMFuzzerMutate(bytes.data(), size, max_bytes));
}

}  // namespace pianola::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    try {
        pianola::fuzz::run_one({data, size});
    } catch (const std::exception& error) {
        fmt::print(stderr, "broken promise: {}\n", error.what());
        std::abort();
    }
    return 0;
}

std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size, unsigned int seed) {
    const pianola::MutableByteSpan memory{data, max_size};
    const pianola::ByteSpan input = memory.subspan(0U, size);
    pianola::fuzz::Bytes bytes{input.begin(), input.end()};
    pianola::test::Random random{seed};
    pianola::fuzz::mutate(bytes, max_size, random);
    const std::size_t length = std::min(bytes.size(), max_size);
    std::copy_n(bytes.begin(), length, memory.begin());
    return length;
}
