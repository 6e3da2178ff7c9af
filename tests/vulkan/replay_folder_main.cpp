// Replays every NAME.ptb of a folder on one Vulkan device: the records of NAME.in, each with all of its inputs, must
// give what NAME.out holds, one after another. usage: pianola_vulkan_replay FOLDER
#include <algorithm>
#include <filesystem>
#include <iostream>

#include "tests/vulkan/player.h"

namespace pianola::vulkan {
namespace {

Bytes load(std::filesystem::path path, const char* extension) {
    return files::load_file(path.replace_extension(extension), kMaxFileBytes);
}

// The number of records that differ.
std::size_t replay(Opened& opened, const std::filesystem::path& binary) {
    Player player{opened, load(binary, "ptb")};
    const Bytes all = load(binary, "in");
    const Bytes golden = load(binary, "out");
    const Plan& plan = player.session().plan();
    std::size_t differing = 0U;
    std::size_t seen = 0U;
    for (std::size_t used = 0U; used < all.size();) {
        Tensors inputs;
        for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
            const auto first = all.begin() + static_cast<std::ptrdiff_t>(used);
            inputs.emplace_back(first, first + static_cast<std::ptrdiff_t>(plan.inputs.at(i).bytes));
            used += plan.inputs.at(i).bytes;
        }
        bool is_same = true;
        for (const Bytes& output : player.run(inputs)) {
            const auto first = golden.begin() + static_cast<std::ptrdiff_t>(seen);
            is_same =
                (output.size() <= (golden.size() - seen)) && std::equal(output.begin(), output.end(), first) && is_same;
            seen += output.size();
        }
        differing += is_same ? 0U : 1U;
    }
    return differing + ((seen == golden.size()) ? 0U : 1U);
}

int replay_all(const char* folder) {
    Opened opened{{}};
    std::size_t wrong = 0U;
    std::size_t binaries = 0U;
    for (const auto& entry : std::filesystem::directory_iterator{folder}) {
        if (entry.path().extension() != ".ptb") {
            continue;
        }
        const std::size_t differing = replay(opened, entry.path());
        if (differing != 0U) {
            std::cout << entry.path().stem().string() << ": " << differing << " records differ\n";
        }
        wrong += (differing == 0U) ? 0U : 1U;
        binaries += 1U;
    }
    std::cout << binaries << " binaries, " << wrong << " differ\n";
    return (wrong == 0U) ? 0 : 1;
}

}  // namespace
}  // namespace pianola::vulkan

int main(int argc, char** argv) {
    try {
        return (argc == 2) ? pianola::vulkan::replay_all(argv[1]) : 2;
    } catch (const std::exception& error) {
        std::cout << error.what() << '\n';
        return 2;
    }
}
