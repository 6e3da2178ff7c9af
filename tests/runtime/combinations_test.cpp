// Several parameters in one command: what is accepted is right with every combination of admitted values, each tried as
// a binary of its own without parameters.
#include <gtest/gtest.h>

#include <iostream>
#include <string>
#include <vector>

#include "hal/devices/refdev/command_encoding.h"
#include "tests/runtime/rule_case.h"
#include "tests/support/random.h"

namespace pianola::test {
namespace {

using refdev::header_word;
using refdev::Opcode;

constexpr std::uint32_t kCases = 1500U;
constexpr std::uint32_t kBytes = 16U;
constexpr std::uint32_t kRead = 512U;     // from the start of the activations: what is written is copied to here
constexpr std::uint32_t kWindow = 1024U;  // what the command works on: the rest of the region, so that it can leave it
constexpr std::uint32_t kPlaces = 48U;    // of kBytes in the window
constexpr std::uint32_t kWritten = 40U;   // of them, those that are written

struct Word {
    std::uint32_t index{0U};  // in the trace
    ParameterKind kind{ParameterKind::kUnspecified};
    std::uint32_t minimum{0U};
    std::uint32_t maximum{0U};
    std::uint32_t step{1U};
};

struct Combination {
    Workload workload;
    std::vector<std::uint32_t> words;
    std::vector<Word> patched;
};

// Two fills write the front of the window, then come the command, and a copy that reads from the window.
class Maker {
  public:
    explicit Maker(Random& random) : random_{random} {}

    Combination make() {
        Combination made{make_workload(1U), {}, {}};
        capture::ManifestRegion& region = made.workload.manifest.regions[3];
        region.size_bytes = kWindow + (kPlaces * kBytes);
        base_ = region.base;
        const std::vector<std::uint32_t> old = words_of(made.workload.segments.traces);
        made.words = {header_word(Opcode::kFill, refdev::kFillWords), base_ + kWindow, kBytes * kWritten, 3U};
        switch (random_.below(3U)) {
            case 0U:
                add_copy(made);
                break;
            case 1U:
                add_fill(made);
                break;
            default:
                add_sum(made, old);
                break;
        }
        made.words.insert(made.words.end(), {header_word(Opcode::kCopy, refdev::kCopyWords), base_ + kRead,
                                             place(random_.below(kWritten)), kBytes});
        made.words.insert(made.words.end(), old.begin(), old.end());
        for (const Word& word : made.patched) {
            made.words.at(word.index) = word.minimum;
        }
        return made;
    }

  private:
    [[nodiscard]] std::uint32_t place(std::uint32_t number) const { return base_ + kWindow + (number * kBytes); }

    Word address(std::uint32_t index, std::uint32_t places, std::uint32_t behind = 0U) {
        const std::uint32_t step = random_.one_in(3U) ? kBytes : (kBytes / 2U);
        const std::uint32_t first = place(behind + random_.below(places));
        return {index, ParameterKind::kBufferAddress, first, first + (random_.below(4U) * step), step};
    }
    Word value(std::uint32_t index, std::uint32_t largest) {
        const std::uint32_t last = random_.below(4U);
        return {index, ParameterKind::kRuntimeArgument, largest - last, largest, 1U};
    }
    // Some of them; those that are left out keep a value.
    void patch_some(Combination& made, const std::vector<Word>& words) {
        for (const Word& word : words) {
            made.words.at(word.index) = word.minimum;
            if (!random_.one_in(5U)) {
                made.patched.push_back(word);
            }
        }
    }

    void add_copy(Combination& made) {
        const auto first = static_cast<std::uint32_t>(made.words.size());
        made.words.insert(made.words.end(), {header_word(Opcode::kCopy, refdev::kCopyWords), 0U, 0U, kBytes});
        patch_some(made, {address(first + 1U, kPlaces), address(first + 2U, kWritten)});
    }
    void add_fill(Combination& made) {
        const auto first = static_cast<std::uint32_t>(made.words.size());
        made.words.insert(made.words.end(), {header_word(Opcode::kFill, refdev::kFillWords), 0U, kBytes, 0U});
        patch_some(made, {address(first + 1U, kPlaces), value(first + 3U, random_.one_in(4U) ? 256U : 255U)});
    }
    // The workload's own, with three addresses, or two and a multiplier and the largest output.
    void add_sum(Combination& made, const std::vector<std::uint32_t>& old) {
        const auto first = static_cast<std::uint32_t>(made.words.size());
        const std::uint32_t behind = refdev::length_words_of(old.front());
        const std::uint32_t length = refdev::length_words_of(old.at(behind));
        made.words.insert(made.words.end(), old.begin() + behind, old.begin() + behind + length);
        const std::uint32_t arguments = first + refdev::kLaunchHeadWords;
        std::vector<Word> words{address(arguments, 10U), address(arguments + 1U, 14U, 8U),
                                address(arguments + 2U, 26U, 20U)};
        if (random_.one_in(2U)) {
            words.erase(words.begin() + random_.below(3U));
            const std::uint32_t last = first + length - 1U;
            words.push_back(value(last - 3U, 100U));  // a multiplier
            words.push_back(value(last, random_.one_in(4U) ? 128U : 127U));
            for (std::uint32_t i = 0U; i < 3U; ++i) {
                made.words.at(arguments + i) = place(12U * i);
            }
        }
        patch_some(made, words);
    }

    Random& random_;
    std::uint32_t base_{0U};
};

// With parameters, or without. False also where words can not be decoded.
bool accepts(Validator& validator, Combination made, const std::vector<std::uint32_t>& words, bool declares) {
    if (!set_trace(made.workload, words)) {
        return false;
    }
    for (std::size_t i = 0U; declares && (i < made.patched.size()); ++i) {
        const Word& word = made.patched.at(i);
        made.workload.manifest.parameters.push_back(
            {"p" + std::to_string(i), word.kind, word.minimum, word.maximum, word.step, {{0U, word.index}}});
    }
    return is_ok(validator.validate(made.workload.file()));
}

// The first combination that is refused where it stands alone, in words; empty where there is none.
std::string first_refused(Validator& validator, const Combination& made) {
    std::vector<std::uint32_t> words = made.words;
    while (true) {
        if (!accepts(validator, made, words, false)) {
            std::string text = "with";
            for (const Word& word : made.patched) {
                text += " " + std::to_string(word.index) + "=" + std::to_string(words.at(word.index));
            }
            return text;
        }
        std::size_t i = 0U;
        while ((i < made.patched.size()) && (words.at(made.patched.at(i).index) == made.patched.at(i).maximum)) {
            words.at(made.patched.at(i).index) = made.patched.at(i).minimum;
            i += 1U;
        }
        if (i == made.patched.size()) {
            return {};
        }
        words.at(made.patched.at(i).index) += made.patched.at(i).step;
    }
}

TEST(Combinations, WhatIsAcceptedIsRightWithEachOfThem) {
    Random random{8U};
    Maker maker{random};
    Validator validator{default_device()};
    std::uint32_t accepted = 0U;
    std::uint32_t right = 0U;
    std::vector<std::uint32_t> accepted_with(kMaxPatchesPerCommand + 1U, 0U);
    std::vector<std::uint32_t> refused_with(kMaxPatchesPerCommand + 1U, 0U);
    for (std::uint32_t i = 0U; i < kCases; ++i) {
        const Combination made = maker.make();
        const bool is_accepted = accepts(validator, made, made.words, true);
        const std::string wrong = first_refused(validator, made);
        EXPECT_TRUE(!is_accepted || wrong.empty()) << "case " << i << " is accepted, but alone refused: " << wrong;
        right += wrong.empty() ? 1U : 0U;
        accepted += is_accepted ? 1U : 0U;
        accepted_with.at(made.patched.size()) += is_accepted ? 1U : 0U;
        refused_with.at(made.patched.size()) += (!is_accepted && !wrong.empty()) ? 1U : 0U;
    }
    std::cout << kCases << " commands, " << right << " right with every combination, " << accepted << " accepted\n";
    for (std::uint32_t patches = 2U; patches <= kMaxPatchesPerCommand; ++patches) {
        std::cout << "  " << patches << " words: " << accepted_with.at(patches) << " accepted, "
                  << refused_with.at(patches) << " refused that are wrong\n";
        EXPECT_GE(accepted_with.at(patches), 15U) << patches;
        EXPECT_GE(refused_with.at(patches), 15U) << patches;
    }
    EXPECT_GE(10U * accepted, 5U * right) << "a proof that refuses everything would be right, too";
}

}  // namespace
}  // namespace pianola::test
