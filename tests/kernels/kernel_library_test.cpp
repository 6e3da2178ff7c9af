#include "hal/devices/refdev/kernels/kernel_library.h"

#include <gtest/gtest.h>

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

TEST(KernelLibrary, HashCoversNamesRoundingAndEveryEntry) {
    std::string message = std::string{"pianola.refdev.int8"} + '\0' + "double-rounding" + '\0';
    for (const Kernel& entry : kernel_rom()) {
        for (const std::uint32_t word : {static_cast<std::uint32_t>(entry.id), entry.version, entry.argument_words}) {
            for (std::uint32_t byte = 0U; byte < 4U; ++byte) {
                message += static_cast<char>((word >> (8U * byte)) & 0xFFU);
            }
        }
        message += std::string{entry.name} + '\0';
    }
    const std::vector<std::uint8_t> bytes(message.begin(), message.end());
    std::array<std::uint8_t, 32> hash{};
    kernel_library_hash(hash);
    EXPECT_EQ(hash, sha256(ByteSpan{bytes.data(), bytes.size()}));
}

TEST(KernelLibrary, ArgumentWordsHaveTheNamesOfTheirMembers) {
// NOLINTBEGIN(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_ARGUMENTS(structure)
#define PIANOLA_WORD(type, member, name, rule) EXPECT_STREQ(#member, name);
#define PIANOLA_ARGUMENTS_END
// NOLINTEND(cppcoreguidelines-macro-usage): DEV-004
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

TEST(KernelLibrary, EverySampleHasTheRomsNumberOfWords) {
    for (const Sample& sample : sample_launches()) {
        EXPECT_EQ(sample.words.size(), kernel(sample.id).argument_words) << sample_name(sample);
    }
}

}  // namespace
}  // namespace pianola::refdev
