// Random streams of a command set with registers, held against what they touch, byte by byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/proofs/register_streams.h"
#include "tests/support/random.h"

namespace pianola::test {
namespace {

using Words = std::vector<std::uint32_t>;

// ---- random streams

class StreamMaker {
  public:
    explicit StreamMaker(Random& random) : random_{random} {}

    Words make() {
        Words words;
        const std::uint32_t starts = 1U + random_.below(6U);
        for (std::uint32_t i = 0U; i < starts; ++i) {
            const std::uint32_t unit = random_.below(kUnits);
            for (std::uint32_t operand = 0U; operand < kOperands; ++operand) {
                if (random_.below(20U) != 0U) {  // else with what the unit has from before, if it has
                    set_operand(words, unit, operand, make_operand(operand == (kOperands - 1U)));
                }
            }
            words.push_back(kStartCode | unit);
        }
        words.push_back(kEndCode);
        return words;
    }

  private:
    Operand make_operand(bool writes) {
        Operand operand;
        operand.bytes = 1U + random_.below(24U);
        operand.inner = 1U + random_.below(random_.below(8U) == 0U ? 40U : 6U);
        operand.inner_stride = random_.below(48U);
        operand.outer = 1U + random_.below(4U);
        operand.outer_stride = random_.below(200U);
        const std::uint32_t length = static_cast<std::uint32_t>(hull_bytes({0U,
                                                                            operand.bytes,
                                                                            Access::kRead,
                                                                            "",
                                                                            {operand.inner, operand.inner_stride},
                                                                            {operand.outer, operand.outer_stride}}));
        // Mostly where it may lie, and of what has been written before.
        const bool anywhere = random_.below(40U) == 0U;
        if (!writes && !anywhere && !written_.empty() && (random_.below(3U) == 0U)) {
            return written_[random_.below(static_cast<std::uint32_t>(written_.size()))];
        }
        const std::uint32_t base = writes ? kScratchBase : ((random_.below(2U) == 0U) ? kBase : kInputBase);
        const std::uint32_t room = writes ? kScratchBytes : kInputBytes;
        if (!anywhere && (length <= room)) {
            operand.address = base + random_.below(room - length + 1U);
        } else if (anywhere) {
            operand.address = kBase - 64U + random_.below((kEnd - kBase) + 128U);
        } else {
            operand = Operand{base, 1U + random_.below(64U)};
        }
        if (writes) {
            written_.push_back(operand);
        }
        return operand;
    }

    Random& random_;
    std::vector<Operand> written_;
};

// Whether the streams, one after the other, touch only what they may, and read only what was written.
bool is_safe(const std::vector<Accesses>& streams) {
    std::vector<bool> written(kEnd - kBase, false);
    std::fill_n(written.begin(), kWrittenWeights, true);
    std::fill_n(written.begin() + (kInputBase - kBase), kInputBytes, true);
    for (const Accesses& accesses : streams) {
        if (!accesses.is_whole) {
            return false;
        }
        for (const ByteAccess& byte : accesses.bytes) {
            if ((byte.address < kBase) || (byte.address >= kEnd) || (byte.writes && (byte.address < kScratchBase)) ||
                (!byte.writes && !written[byte.address - kBase])) {
                return false;
            }
            written[byte.address - kBase] = written[byte.address - kBase] || byte.writes;
        }
    }
    return true;
}

bool conflict(const Accesses& one, const Accesses& other) {
    std::map<std::uint32_t, bool> first;  // whether it writes
    for (const ByteAccess& byte : one.bytes) {
        first[byte.address] = first[byte.address] || byte.writes;
    }
    return std::any_of(other.bytes.begin(), other.bytes.end(), [&first](const ByteAccess& byte) {
        const auto found = first.find(byte.address);
        return (found != first.end()) && (byte.writes || found->second);
    });
}

TEST_F(Streams, ThatAreAcceptedTouchNoByteOutside) {
    constexpr std::uint32_t kStreams = 20'000U;
    Random random{20U};
    std::uint32_t accepted = 0U;
    std::uint32_t safe = 0U;
    std::uint32_t refused_although_safe = 0U;
    std::map<std::string, std::uint32_t> rules;
    for (std::uint32_t i = 0U; i < kStreams; ++i) {
        StreamMaker maker{random};
        std::vector<Words> streams{maker.make()};
        const bool on_two_queues = random.below(4U) == 0U;
        if (on_two_queues) {
            StreamMaker of_its_own{random};
            streams.push_back(of_its_own.make());
        }
        if (random.below(20U) == 0U) {  // any word, changed in any way
            Words& words = streams.back();
            words[random.below(static_cast<std::uint32_t>(words.size()))] ^= 1U << random.below(32U);
        }
        std::vector<Accesses> accesses;
        for (const Words& words : streams) {
            accesses.push_back(run_registers(words));
        }
        const bool is_right = is_safe(accesses) && (!on_two_queues || !conflict(accesses.front(), accesses.back()));
        const std::string verdict = judge(streams, on_two_queues);
        rules[verdict] += 1U;
        accepted += (verdict == "accepted") ? 1U : 0U;
        safe += is_right ? 1U : 0U;
        refused_although_safe += (is_right && (verdict != "accepted")) ? 1U : 0U;
        ASSERT_TRUE(is_right || (verdict != "accepted")) << "stream " << i;
    }
    std::string text;
    for (const auto& [rule, count] : rules) {
        text += rule + " " + std::to_string(count) + ", ";
    }
    std::cout << "accepted " << accepted << " of " << safe << " safe streams of " << kStreams
              << "; refused although safe " << refused_although_safe << "; " << text << '\n';
    RecordProperty("safe", static_cast<int>(safe));
    RecordProperty("refused_although_safe", static_cast<int>(refused_although_safe));
    // It is about something: many are safe, many are not, and few of the safe ones are refused.
    EXPECT_GT(accepted, kStreams / 4U);
    EXPECT_GT(kStreams - safe, kStreams / 10U);
    EXPECT_LT(refused_although_safe, safe / 20U);
    for (const char* const rule : {"TRC-UNWRITTEN", "TRC-BOUNDS", "TRC-PERMISSION", "TRC-ARGUMENT", "ORD-RACE"}) {
        EXPECT_GT(rules[rule], 0U) << rule;
    }
}

}  // namespace
}  // namespace pianola::test
