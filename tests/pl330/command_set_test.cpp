// The groups of words that are commands of a PL330, and that nothing else is one.
#include "hal/devices/pl330/command_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

#include "capture_host/capture/lowering/pl330.h"
#include "hal/devices/pl330/encoding.h"
#include "hal/devices/pl330/host/words.h"

namespace pianola::test {
namespace {

using pl330::Group;
using pl330::Move;
using Words = std::vector<std::uint32_t>;

constexpr std::uint32_t kSource = 0x0100'1000U;
constexpr std::uint32_t kDestination = 0x0180'2000U;

struct Decoded {
    Status status{Status::kRefused};
    DecodedCommand command;
    DecodeError error;
};

Decoded decode(const Words& words) {
    const pl330::Pl330CommandSet command_set;
    Decoded decoded;
    DecodeState state;
    decoded.status = command_set.decode(WordSpan{words.data(), words.size()}, state, decoded.command, decoded.error);
    return decoded;
}

Words words_of(const Group& group) {
    return {group.words.begin(), group.words.begin() + group.count};
}

// What the engine does with a program: a separate interpreter, from the manual's instruction set and not from
// encoding.h. One thread without events; every byte that is read and written is noted.
class Engine {
  public:
    struct Touched {
        std::uint32_t first;
        std::uint32_t bytes;
    };
    std::vector<Touched> reads;
    std::vector<Touched> writes;
    bool has_ended{false};

    // False where a byte is no instruction that it knows, or something has no end.
    bool run(const Words& words) {
        std::vector<std::uint8_t> code;
        for (const std::uint32_t word : words) {
            for (std::uint32_t i = 0U; i < 4U; ++i) {
                code.push_back(static_cast<std::uint8_t>(word >> (8U * i)));
            }
        }
        for (std::uint32_t turn = 0U; (turn < 10'000'000U) && (at_ < code.size()); ++turn) {
            if (!step(code)) {
                return false;
            }
            if (has_ended) {
                return true;
            }
        }
        return at_ == code.size();
    }

  private:
    bool step(const std::vector<std::uint8_t>& code) {
        const auto byte = [&](std::size_t offset) { return std::uint32_t{code.at(at_ + offset)}; };
        switch (code.at(at_)) {
            case 0x00U:
                has_ended = true;
                return true;
            case 0x12U:
            case 0x13U:
            case 0x18U:
                at_ += 1U;
                return true;
            case 0xBCU:
                registers_.at(byte(1U)) = byte(2U) | (byte(3U) << 8U) | (byte(4U) << 16U) | (byte(5U) << 24U);
                at_ += 6U;
                return true;
            case 0x20U:
            case 0x22U:
                counters_[(byte(0U) - 0x20U) / 2U] = byte(1U);
                at_ += 2U;
                return true;
            case 0x04U:
                burst(0U, 0U, reads);
                at_ += 1U;
                return true;
            case 0x08U:
            case 0x0CU:
                burst(2U, 14U, writes);
                at_ += 1U;
                return true;
            case 0x38U:
            case 0x3CU: {
                std::uint32_t& counter = counters_[(byte(0U) - 0x38U) / 4U];
                if (counter == 0U) {
                    at_ += 2U;
                } else {
                    counter -= 1U;
                    at_ -= byte(1U);
                }
                return true;
            }
            default:
                return false;
        }
    }

    // The half of the control register that starts at `shift`: increments, size of a beat, beats.
    void burst(std::size_t address, std::uint32_t shift, std::vector<Touched>& touched) {
        const std::uint32_t control = registers_[1] >> shift;
        const std::uint32_t beat_bytes = 1U << ((control >> 1U) & 7U);
        const std::uint32_t beats = ((control >> 4U) & 15U) + 1U;
        const bool increments = (control & 1U) != 0U;
        ASSERT_EQ(registers_.at(address) % beat_bytes, 0U);
        touched.push_back({registers_.at(address), increments ? (beat_bytes * beats) : beat_bytes});
        registers_.at(address) += increments ? (beat_bytes * beats) : 0U;
    }

    std::size_t at_{0U};
    std::array<std::uint32_t, 3> registers_{};  // source, control, destination
    std::array<std::uint32_t, 2> counters_{};
};

// The bytes, as one range; they must follow each other, or be the same.
Extent range_of(const std::vector<Engine::Touched>& touched, Access access) {
    Extent extent;
    extent.address = touched.front().first;
    extent.access = access;
    for (const Engine::Touched& part : touched) {
        if ((part.first == extent.address) && (part.bytes == touched.front().bytes)) {
            extent.size_bytes = part.bytes;  // the same again
            continue;
        }
        EXPECT_EQ(part.first, extent.address + extent.size_bytes);
        extent.size_bytes += part.bytes;
    }
    return extent;
}

// Every move that has these sizes, and what the decoder says of it against what the interpreter does.
void expect_as_executed(const Words& words) {
    const Decoded decoded = decode(words);
    ASSERT_EQ(decoded.status, Status::kOk) << decoded.error.field;
    ASSERT_EQ(decoded.command.length_words, words.size());
    Engine engine;
    ASSERT_TRUE(engine.run(words));
    for (const Extent& extent : decoded.command.extents.view()) {
        const bool reads = extent.access == Access::kRead;
        const Extent executed = range_of(reads ? engine.reads : engine.writes, extent.access);
        EXPECT_EQ(extent.address, executed.address) << extent.field;
        EXPECT_EQ(extent.size_bytes, executed.size_bytes) << extent.field;
    }
    EXPECT_EQ(decoded.command.extents.view().size(), engine.reads.empty() ? 1U : 2U);
}

TEST(Pl330CommandSet, ExtentsAreTheBytesThatTheInstructionsTouch) {
    for (std::uint32_t shift = 0U; shift <= pl330::kMaxBurstShift; ++shift) {
        for (const std::uint32_t inner : {1U, 2U, 255U, 256U}) {
            for (const std::uint32_t outer : {1U, 3U, 256U}) {
                SCOPED_TRACE(testing::Message() << shift << ' ' << inner << ' ' << outer);
                Move move{0x1000'0000U, 0x2000'0000U, shift, inner, outer, true};
                expect_as_executed(words_of(pl330::encode_copy(move)));
                expect_as_executed(words_of(pl330::encode_zeros(move)));
                move.source_increments = false;
                expect_as_executed(words_of(pl330::encode_copy(move)));
            }
        }
    }
}

TEST(Pl330CommandSet, KindsAndCosts) {
    const Move move{kSource, kDestination, 7U, 2U, 1U, true};
    Move from_constant = move;
    from_constant.source_increments = false;
    EXPECT_EQ(decode(words_of(pl330::encode_copy(move))).command.kind, CommandKind::kCopy);
    EXPECT_EQ(decode(words_of(pl330::encode_copy(from_constant))).command.kind, CommandKind::kFill);
    EXPECT_EQ(decode(words_of(pl330::encode_zeros(move))).command.kind, CommandKind::kFill);
    EXPECT_EQ(decode({pl330::kBarrier}).command.kind, CommandKind::kBarrier);
    EXPECT_EQ(decode({pl330::kEnd}).command.kind, CommandKind::kEnd);
    EXPECT_EQ(decode(words_of(pl330::encode_copy(move))).command.cost_cycles, 0U);
    Engine engine;
    EXPECT_TRUE(engine.run({pl330::kBarrier, pl330::kEnd}));
    EXPECT_TRUE(engine.has_ended);
}

// Whatever the words are: an answer, and where it is yes, words that encode_*() writes.
void expect_canonical(const Words& words, std::uint32_t& accepted) {
    const Decoded decoded = decode(words);
    if (decoded.status != Status::kOk) {
        EXPECT_EQ(decoded.status, Status::kRefused);
        EXPECT_LT(decoded.error.word, words.empty() ? 1U : words.size());
        return;
    }
    accepted += 1U;
    ASSERT_LE(decoded.command.length_words, words.size());
    const Words own{words.begin(), words.begin() + decoded.command.length_words};
    const Span<const Extent> extents = decoded.command.extents.view();
    if (extents.empty()) {
        EXPECT_TRUE((own == Words{pl330::kBarrier}) || (own == Words{pl330::kEnd}));
        return;
    }
    // Found again among all that there is.
    bool found = false;
    const Extent& target = extents[extents.size() - 1U];
    for (std::uint32_t shift = 0U; !found && (shift <= pl330::kMaxBurstShift); ++shift) {
        for (std::uint32_t outer = 1U; !found && (outer <= pl330::kMaxLoops); ++outer) {
            const std::uint32_t bursts = target.size_bytes >> shift;
            if (((target.size_bytes & ((1U << shift) - 1U)) != 0U) || ((bursts % outer) != 0U) ||
                ((bursts / outer) > pl330::kMaxLoops)) {
                continue;
            }
            Move move{extents[0].address, target.address, shift, bursts / outer, outer, true};
            found = (own == words_of(pl330::encode_zeros(move))) || (own == words_of(pl330::encode_copy(move)));
            move.source_increments = false;
            found = found || (own == words_of(pl330::encode_copy(move)));
        }
    }
    EXPECT_TRUE(found);
}

TEST(Pl330CommandSet, EveryBitOfACommandMatters) {
    std::uint32_t accepted = 0U;
    std::uint32_t looked_at = 0U;
    const Move move{kSource, kDestination, 5U, 3U, 2U, true};
    for (const Words& words : {words_of(pl330::encode_copy(move)), words_of(pl330::encode_zeros(move)),
                               Words{pl330::kBarrier}, Words{pl330::kEnd}}) {
        for (std::size_t bit = 0U; bit < (words.size() * 32U); ++bit) {
            Words changed = words;
            changed[bit / 32U] ^= 1U << (bit % 32U);
            expect_canonical(changed, accepted);
            looked_at += 1U;
        }
    }
    // Upper bits of addresses, counts of loops, and the bit that makes the source stand still.
    EXPECT_GT(accepted, 0U);
    EXPECT_LT(accepted, looked_at / 4U);
}

TEST(Pl330CommandSet, AnyWordsHaveAnAnswer) {
    std::mt19937 source{1U};
    const auto random = [&source] { return static_cast<std::uint32_t>(source()); };
    const Words parts{
        pl330::kMoveSource,           pl330::kMoveDestination, pl330::kMoveControl, pl330::kLoops, pl330::kLoadStore,
        pl330::kStoreZeros,           pl330::kLoopsEnd,        pl330::kBarrier,     pl330::kEnd,   kSource,
        pl330::copy_control(3U, true)};
    std::uint32_t accepted = 0U;
    for (std::uint32_t i = 0U; i < 200'000U; ++i) {
        Words words(random() % 12U);
        for (std::uint32_t& word : words) {
            word = ((random() % 4U) == 0U) ? random() : parts[random() % parts.size()];
        }
        expect_canonical(words, accepted);
    }
    EXPECT_GT(accepted, 1000U);
}

struct Refusal {
    const char* what;
    std::uint32_t word;
    std::uint32_t value;
    bool unknown;
    const char* field;
};

TEST(Pl330CommandSet, RefusalsNameTheWord) {
    const Words good = words_of(pl330::encode_copy({kSource, kDestination, 6U, 4U, 1U, true}));
    const std::vector<Refusal> refusals{
        {"another instruction first", 0U, 0x00BC'1800U, true, "instruction"},
        {"a register that is not the destination", 2U, 0x03BC'1818U, true, "instruction"},
        {"a register that is not the control", 4U, 0x02BC'1818U, true, "instruction"},
        {"loops in the other order", 6U, 0x0322'0020U, true, "instruction"},
        {"a store without a load", 7U, 0x0238'0818U, true, "instruction"},
        {"a jump one byte too far", 7U, 0x0338'0804U, true, "instruction"},
        {"no barrier after the stores", 8U, 0x1818'063CU, true, "instruction"},
        {"a source off its burst", 1U, kSource + 32U, false, "source"},
        {"a destination off its burst", 3U, kDestination + 1U, false, "destination"},
        {"a destination inside the source", 3U, kSource + 64U, false, "destination"},
        {"a destination beyond the addresses", 3U, 0xFFFF'FF80U, false, "destination"},
        {"a destination that stands still", 5U, pl330::copy_control(6U, true) & ~(1U << 14U), false, "control"},
        {"bytes swapped", 5U, pl330::copy_control(6U, true) | (1U << 28U), false, "control"},
        {"user access", 5U, pl330::copy_control(6U, true) | (1U << 8U), false, "control"},
        {"fewer beats read than written", 5U, pl330::copy_control(6U, true) ^ (1U << 4U), false, "control"},
        {"beats of 16 bytes", 5U, 0x0003'C039U | (4U << 15U), false, "control"},
    };
    for (const Refusal& refusal : refusals) {
        SCOPED_TRACE(refusal.what);
        Words words = good;
        words[refusal.word] = refusal.value;
        const Decoded decoded = decode(words);
        EXPECT_EQ(decoded.status, Status::kRefused);
        EXPECT_EQ(decoded.error.word, refusal.word);
        EXPECT_EQ(decoded.error.unknown_command, refusal.unknown);
        EXPECT_STREQ(decoded.error.field, refusal.field);
    }
    for (std::size_t length = 1U; length < good.size(); ++length) {
        EXPECT_TRUE(decode({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(length)}).error.unknown_command);
    }
}

// Copies of any size between any addresses: one command after the other, without a gap.
TEST(Pl330CommandSet, MovesTileAnySize) {
    std::mt19937 numbers{2U};
    const auto random = [&numbers] { return static_cast<std::uint32_t>(numbers()); };
    for (std::uint32_t i = 0U; i < 5'000U; ++i) {
        const std::uint32_t size_bytes = 1U + (random() % ((i % 100U == 0U) ? 3'000'000U : 5'000U));
        const std::uint32_t source = 0x1000'0000U + (random() % 512U);
        const std::uint32_t destination = 0x2000'0000U + (random() % 512U);
        Words words;
        pl330::append_copy(words, source, destination, size_bytes);
        ASSERT_LE(words.size(), 60U * pl330::kCopyWords) << size_bytes;
        std::uint32_t done = 0U;
        for (std::size_t at = 0U; at < words.size(); at += pl330::kCopyWords) {
            const Decoded decoded = decode({words.begin() + static_cast<std::ptrdiff_t>(at), words.end()});
            ASSERT_EQ(decoded.status, Status::kOk);
            ASSERT_EQ(decoded.command.extents.view()[0].address, source + done);
            ASSERT_EQ(decoded.command.extents.view()[1].address, destination + done);
            done += decoded.command.extents.view()[1].size_bytes;
        }
        ASSERT_EQ(done, size_bytes);
    }
}

TEST(Pl330CommandSet, AddressesMayBePatchedAndNothingElse) {
    const pl330::Pl330CommandSet command_set;
    const Move move{kSource, kDestination, 6U, 4U, 1U, true};
    const Words copy = words_of(pl330::encode_copy(move));
    const Words zeros = words_of(pl330::encode_zeros(move));
    for (std::uint32_t word = 0U; word < copy.size(); ++word) {
        EXPECT_EQ(command_set.patch_kind(WordSpan{copy.data(), copy.size()}, word) == PatchKind::kAddress,
                  (word == 1U) || (word == 3U));
    }
    for (std::uint32_t word = 0U; word < zeros.size(); ++word) {
        EXPECT_EQ(command_set.patch_kind(WordSpan{zeros.data(), zeros.size()}, word) == PatchKind::kAddress,
                  word == 1U);
    }
}

TEST(Pl330CommandSet, ACheckDependsOnNumberAndEveryWord) {
    const QueueCommand command{QueueCommandKind::kWrite, {}, 1U, 2U, 3U, 4U, 5U, 6U, 0U};
    const std::uint32_t check = pl330::check_of(7U, command);
    EXPECT_NE(check, pl330::check_of(8U, command));
    for (std::uint32_t QueueCommand::* const word :
         {&QueueCommand::address, &QueueCommand::size_bytes, &QueueCommand::slot, &QueueCommand::slot_offset,
          &QueueCommand::event, &QueueCommand::value}) {
        QueueCommand changed = command;
        changed.*word ^= 0x8000'0000U;
        EXPECT_NE(check, pl330::check_of(7U, changed));
    }
}

}  // namespace
}  // namespace pianola::test
