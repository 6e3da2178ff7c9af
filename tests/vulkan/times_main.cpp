// Measures how long steps take on this machine, and prints a table. docs/guide/vulkan.md says what it is good for.
// usage: pianola_vulkan_times STEPS [BINARY.ptb]
//
// From the submission to the moment at which the results have been released, by the clock of this process, with inputs
// of random bytes and another process's load or none. Without a binary: a workload of two small kernels.
#include <chrono>
#include <cstdlib>
#include <iostream>

#include "tests/support/random.h"
#include "tests/support/workload.h"
#include "tests/vulkan/player.h"
#include "tests/vulkan/times.h"

namespace pianola::vulkan {
namespace {

int measure(std::uint64_t steps, const Bytes& file) {
    Opened opened{{}};
    Player player{opened, file};
    const Plan& plan = player.session().plan();
    test::Random random{1U};
    Tensors inputs;
    for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
        Bytes& input = inputs.emplace_back(plan.inputs.at(i).bytes);
        std::generate(input.begin(), input.end(), [&random] { return random.byte(); });
    }
    std::vector<std::uint64_t> times;
    times.reserve(steps);
    for (std::uint64_t i = 0U; i < steps; ++i) {
        const auto begin = std::chrono::steady_clock::now();
        static_cast<void>(player.run(inputs));
        const auto taken = std::chrono::steady_clock::now() - begin;
        times.push_back(
            static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(taken).count()));
    }
    std::cout << "Microseconds of a step:\n\n" << table_of(times);
    return 0;
}

}  // namespace
}  // namespace pianola::vulkan

int main(int argc, char** argv) {
    const std::uint64_t steps = (argc > 1) ? std::strtoull(argv[1], nullptr, 10) : 0U;
    if ((steps == 0U) || (argc > 3)) {
        std::cerr << "usage: pianola_vulkan_times STEPS [BINARY.ptb]\n";
        return 2;
    }
    try {
        const std::vector<std::uint8_t> file = (argc == 3) ? pianola::files::load_file(argv[2], pianola::kMaxFileBytes)
                                                           : pianola::test::make_workload(2U).file();
        return pianola::vulkan::measure(steps, file);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
