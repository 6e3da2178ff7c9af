// Words of one command that may be patched: what decode() says where several of them change.
#include "hal/port_kit/conformance.h"
#include "hal/port_kit/decode_answers.h"

namespace pianola::port {
namespace {

constexpr std::uint32_t kStep = 64U;    // of an address
constexpr std::uint32_t kRounds = 64U;  // for each command
constexpr std::uint32_t kLongestRange = 8U;
constexpr std::uint32_t kSign = 0x8000'0000U;
constexpr std::uint32_t kNone = kMaxPatchesPerCommand;

// A word of the command, and the values that it may have: `steps` above the lowest.
struct Range {
    std::uint32_t word{0U};
    std::uint32_t lowest{0U};
    std::uint32_t step{1U};
    std::uint32_t steps{1U};
};

// Some words of the command at word `at` of the trace.
class Choice {
  public:
    Choice(Kit& kit, std::uint32_t at) noexcept : kit_{kit}, at_{at} { owners_.fill(kNone); }

    void choose(WordSpan words, Random& random) noexcept {
        for (std::uint32_t word = 0U; (word < words.size()) && (count_ < ranges_.size()); ++word) {
            const PatchKind kind = kit_.command_set().patch_kind(words, word);
            const std::uint32_t steps = 1U + (random.next() % kLongestRange);
            const bool has_one_sign = ((words[word] ^ (words[word] + steps)) & kSign) == 0U;
            if ((kind != PatchKind::kNone) && has_one_sign && ((random.next() % 3U) != 0U)) {
                ranges_[count_] = {word, words[word], (kind == PatchKind::kAddress) ? kStep : 1U, steps};
                count_ += 1U;
            }
        }
    }
    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

    // True where every combination of lowest and highest values is accepted, and operands stay apart in between.
    [[nodiscard]] bool is_accepted_at_its_ends() noexcept {
        for (std::uint32_t corner = 0U; corner < (1U << count_); ++corner) {
            for (std::uint32_t i = 0U; i < count_; ++i) {
                steps_[i] = (((corner >> i) & 1U) != 0U) ? ranges_[i].steps : 0U;
            }
            if (!is_ok(decode())) {
                return false;
            }
            if (corner == 0U) {
                lowest_ = now_;
            }
            for (std::uint32_t i = 0U; i < count_; ++i) {
                if (corner == (1U << i)) {
                    find_owned(i);
                }
            }
        }
        return stay_apart();
    }

    // What each word does by itself is what all do together.
    [[nodiscard]] bool expect_in_between(Random& random) noexcept {
        for (std::uint32_t i = 0U; i < count_; ++i) {
            steps_[i] = random.next() % (ranges_[i].steps + 1U);
        }
        if (!kit_.expect_ok(decode(), "decode() refuses words that lie between such as it accepts") ||
            !kit_.expect(is_same_effect(now_, lowest_), "words that are patched together change more than each does")) {
            return false;
        }
        bool is_as_each = true;
        for (std::uint32_t i = 0U; i < lowest_.extents.view().size(); ++i) {
            const Extent& was = lowest_.extents.view()[i];
            const Extent& is = now_.extents.view()[i];
            const std::uint32_t moved = (owners_[i] == kNone) ? 0U : (steps_[owners_[i]] * ranges_[owners_[i]].step);
            is_as_each = is_as_each && is_same_shape(is, was) && ((is.address - was.address) == moved);
        }
        return kit_.expect(is_as_each, "words that are patched together do not move operands as each does");
    }

  private:
    // The command with the words as they are chosen, behind those before it.
    Status decode() noexcept {
        kit_.other_trace() = kit_.trace();
        for (std::uint32_t i = 0U; i < count_; ++i) {
            kit_.other_trace().words[at_ + ranges_[i].word] = ranges_[i].lowest + (steps_[i] * ranges_[i].step);
        }
        Decoder decoder{kit_.command_set()};
        DecodeError error;
        Status status = Status::kOk;
        std::uint32_t position = 0U;
        while (is_ok(status) && (position <= at_)) {
            status =
                decoder.walk(kit_.other_trace().view().subspan(position, kit_.trace().count - position), now_, error);
            position += (position < at_) ? now_.length_words : (at_ + 1U);
        }
        return status;
    }

    void find_owned(std::uint32_t range) noexcept {
        for (std::uint32_t i = 0U; (i < lowest_.extents.view().size()) && (i < now_.extents.view().size()); ++i) {
            if (now_.extents.view()[i].address != lowest_.extents.view()[i].address) {
                owners_[i] = range;
            }
        }
    }

    [[nodiscard]] std::uint64_t reach_of(std::uint32_t extent) const noexcept {
        const std::uint32_t owner = owners_[extent];
        return hull_bytes(lowest_.extents.view()[extent]) +
               ((owner == kNone) ? 0U : (std::uint64_t{ranges_[owner].steps} * ranges_[owner].step));
    }
    [[nodiscard]] bool stay_apart() const noexcept {
        const Span<const Extent> extents = lowest_.extents.view();
        for (std::uint32_t i = 0U; i < extents.size(); ++i) {
            for (std::uint32_t k = 0U; k < i; ++k) {
                const bool moves = (owners_[i] != kNone) || (owners_[k] != kNone);
                if (moves && (extents[i].address < (extents[k].address + reach_of(k))) &&
                    (extents[k].address < (extents[i].address + reach_of(i)))) {
                    return false;
                }
            }
        }
        return true;
    }

    Kit& kit_;
    std::uint32_t at_;
    std::array<Range, kMaxPatchesPerCommand> ranges_{};
    std::array<std::uint32_t, kMaxPatchesPerCommand> steps_{};  // of each word, now
    std::uint32_t count_{0U};
    std::array<std::uint32_t, kMaxExtentsPerCommand> owners_{};  // the word that moves each extent
    DecodedCommand lowest_;
    DecodedCommand now_;
};

}  // namespace

void patches_are_separable(Kit& kit) noexcept {
    std::uint32_t looked_at = 0U;
    for_each_command(kit, [&](WordSpan words, std::uint32_t at, const DecodedCommand& command) noexcept {
        Random random{at + 1U};
        for (std::uint32_t round = 0U; round < kRounds; ++round) {
            Choice choice{kit, at};
            choice.choose(words.subspan(0U, command.length_words), random);
            if ((choice.count() < 2U) || !choice.is_accepted_at_its_ends()) {
                continue;
            }
            looked_at += 1U;
            if (!choice.expect_in_between(random)) {
                return false;
            }
        }
        return true;
    });
    if (looked_at == 0U) {
        kit.not_offered("no two words of a sample's command may be patched");
    }
}

}  // namespace pianola::port
