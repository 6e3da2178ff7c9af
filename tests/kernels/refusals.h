// Words that take a launch out of its kernel's contract, and how each is refused.
#pragma once

#include <gtest/gtest.h>

#include "tests/kernels/launch.h"

namespace pianola::refdev {

// One word of a correct launch, values that make it incorrect, and the word that is then named.
struct Refusal {
    KernelId id;
    const char* variant;
    std::uint32_t word;
    const char* field;
    std::vector<std::uint32_t> values;
};

inline Words words_of_sample(const std::vector<Sample>& samples, KernelId id, const std::string& variant) {
    for (const Sample& sample : samples) {
        if ((sample.id == id) && (variant == sample.variant)) {
            return sample.words;
        }
    }
    throw std::runtime_error("no sample " + variant);
}

// Each value in the sample of its kernel and variant: neither described nor run.
inline void expect_refused(const std::vector<Refusal>& refusals, const std::vector<Sample>& samples) {
    SmallDevice device{4096U};
    for (const Refusal& refusal : refusals) {
        for (const std::uint32_t value : refusal.values) {
            Words words = words_of_sample(samples, refusal.id, refusal.variant);
            words.at(refusal.word) = value;
            ExtentList extents;
            ArgumentError error;
            const std::string name = std::string{kernel(refusal.id).name} + refusal.variant + " word " +
                                     std::to_string(refusal.word) + " = " + std::to_string(value);
            EXPECT_EQ(kernel(refusal.id).describe(span_of(words), extents, error), Status::kRefused) << name;
            EXPECT_STREQ(error.field, refusal.field) << name;
            EXPECT_EQ(extents.view().size(), 0U) << name;
            EXPECT_EQ(device.run(refusal.id, words), Status::kRefused) << name;
        }
    }
}

}  // namespace pianola::refdev
