#include "hal/devices/refdev/kernels/kernel_library.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>

#include "hal/devices/refdev/kernels/argument_words.h"
#include "pianola/sha256.h"
#include "tests/kernels/launch.h"

namespace pianola::refdev {
namespace {

TEST(KernelLibrary, EveryKernelIsFoundAndNothingElse) {
    std::set<std::uint32_t> ids;
    for (const Kernel& entry : kernel_rom()) {
        const auto id = static_cast<std::uint32_t>(entry.id);
        EXPECT_EQ(find_kernel(id), &entry);
        EXPECT_GE(entry.version, 1U);
        ids.insert(id);
    }
    EXPECT_EQ(ids.size(), 37U);
    for (std::uint32_t id = 0U; id < 0x1000U; ++id) {
        EXPECT_EQ(find_kernel(id) != nullptr, ids.count(id) == 1U) << id;
    }
    EXPECT_EQ(find_kernel(UINT32_MAX), nullptr);
}

TEST(KernelLibrary, HashCoversNameAndRounding) {
    const std::string message = std::string{"pianola.refdev.int8"} + '\0' + "double-rounding" + '\0';
    const std::vector<std::uint8_t> bytes(message.begin(), message.end());
    std::array<std::uint8_t, 32> hash{};
    kernel_library_hash(hash);
    EXPECT_EQ(hash, sha256(ByteSpan{bytes.data(), bytes.size()}));
}

TEST(KernelLibrary, ArgumentWordsHaveTheNamesOfTheirMembers) {
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_ARGUMENTS(structure)
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_WORD(type, member, name, rule) EXPECT_STREQ(#member, name);
#define PIANOLA_ARGUMENTS_END
#include "hal/devices/refdev/kernels/arguments.inc"
#undef PIANOLA_ARGUMENTS
#undef PIANOLA_WORD
#undef PIANOLA_ARGUMENTS_END
    for (const auto& word : kGatherSegmentWords) {
        EXPECT_EQ(std::string{word.rule.field}.find("segments."), 0U);
    }
    for (const auto& word : kLstmGateScalesWords) {
        EXPECT_EQ(std::string{word.rule.field}.find("gates."), 0U);
    }
}

// docs/reference/device.md has a row for each kernel, with the structure of its argument words, or the id of the layer
// whose words it has.
TEST(KernelLibrary, TheDevicesPageListsEveryKernel) {
    std::ifstream file{std::string{PIANOLA_SOURCE_DIR} + "/docs/reference/device.md"};
    const std::string page{std::istreambuf_iterator<char>{file}, {}};
    const std::map<std::string, std::string> layers{{"FullyConnectedInt16Arguments", "Int16Layer` of 1"},
                                                    {"Conv2dInt16Arguments", "Int16Layer` of 2"},
                                                    {"DepthwiseConv2dInt16Arguments", "Int16Layer` of 3"}};
    const auto expect_row = [&](std::uint32_t id, const std::string& name, const std::string& structure) {
        const std::string words = (layers.count(structure) != 0U) ? layers.at(structure) : structure + "`";
        const std::string row = "\n| " + std::to_string(id) + " | " + name + " | `" + words + " |";
        EXPECT_NE(page.find(row), std::string::npos) << row;
    };
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_KERNEL(id, enumerator, name, version, arguments, describe, work, compute) \
    expect_row(id, name, #arguments);
#include "hal/devices/refdev/kernels/kernels.inc"
#undef PIANOLA_KERNEL
}

TEST(KernelLibrary, EverySampleHasTheRomsNumberOfWords) {
    for (const Sample& sample : sample_launches()) {
        EXPECT_EQ(sample.words.size(), kernel(sample.id).argument_words) << sample_name(sample);
    }
}

}  // namespace
}  // namespace pianola::refdev
