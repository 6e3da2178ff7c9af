// A command set that breaks its contract: the proof refuses, and does not run on, wrap or believe it.
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "hal/refdev/refdev_command_set.h"
#include "runtime/session/development_config.h"
#include "tests/runtime/rule_case.h"
#include "tests/support/trace_file.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

// The reference device's, whose answers to decode() can be bent.
class BentCommandSet final : public CommandSet {
  public:
    // What the device says of words, and what becomes of it.
    using Bend = std::function<Status(WordSpan words, DecodedCommand& command, DecodeError& error, Status status)>;

    BentCommandSet() = default;
    ~BentCommandSet() = default;
    BentCommandSet(const BentCommandSet&) = delete;
    BentCommandSet(BentCommandSet&&) = delete;
    BentCommandSet& operator=(const BentCommandSet&) = delete;
    BentCommandSet& operator=(BentCommandSet&&) = delete;

    void set_bend(Bend bend) { bend_ = std::move(bend); }

    Status decode(WordSpan words, DecodedCommand& command, DecodeError& error) const noexcept override {
        const Status status = straight_.decode(words, command, error);
        return bend_ ? bend_(words, command, error, status) : status;
    }
    [[nodiscard]] PatchKind patch_kind(WordSpan words, std::uint32_t word) const noexcept override {
        return straight_.patch_kind(words, word);
    }
    [[nodiscard]] std::uint32_t queue_words(const QueueCommand& command) const noexcept override {
        return straight_.queue_words(command);
    }
    [[nodiscard]] std::uint64_t queue_cycles(const QueueCommand& command) const noexcept override {
        return straight_.queue_cycles(command);
    }
    [[nodiscard]] std::uint64_t seal(std::uint64_t digest, std::uint32_t number, std::uint64_t trace_digest,
                                     QueueCommand& command) const noexcept override {
        return straight_.seal(digest, number, trace_digest, command);
    }
    [[nodiscard]] std::uint64_t trace_digest(std::uint64_t digest, WordSpan words) const noexcept override {
        return straight_.trace_digest(digest, words);
    }

  private:
    refdev::RefdevCommandSet straight_;
    Bend bend_;
};

struct Outcome {
    Status status;
    Verdict verdict;
};

Outcome judge(const std::vector<std::uint8_t>& file, const BentCommandSet& command_set) {
    const files::AlignedBytes bytes{file};
    const auto workspace = std::make_unique<PlanWorkspace>();
    const auto plan = std::make_unique<Plan>();
    Image image;
    Outcome outcome{};
    outcome.status = validate(bytes.view(), default_device(), command_set, kDevelopmentTrust, *workspace, image, *plan,
                              outcome.verdict);
    return outcome;
}

void expect_refused(const BentCommandSet& command_set, const std::vector<std::uint8_t>& file, Rule rule,
                    const std::string& what) {
    const Outcome outcome = judge(file, command_set);
    EXPECT_EQ(outcome.status, Status::kRefused) << what;
    EXPECT_STREQ(rule_id(outcome.verdict.rule), rule_id(rule)) << what;
}

using Change = std::function<void(DecodedCommand& command)>;

// Every extent again, with one of them changed.
Change extent_change(const std::function<void(Extent& extent)>& change) {
    return [change](DecodedCommand& command) {
        std::vector<Extent> all;
        for (const Extent& extent : command.extents.view()) {
            all.push_back(extent);
        }
        command.extents.clear();
        for (Extent& extent : all) {
            change(extent);
            EXPECT_TRUE(command.extents.add(extent.address, extent.size_bytes, extent.access, extent.field));
        }
    };
}

TEST(BentCommandSet, UnbentAcceptsWhatTheDeviceAccepts) {
    const BentCommandSet command_set;
    for (const AcceptedCase& accepted : accepted_cases()) {
        EXPECT_EQ(judge(accepted.file, command_set).status, Status::kOk) << accepted.what;
    }
}

TEST(BentCommandSet, CannotSayHowLongACommandIs) {
    const std::vector<std::uint8_t> file = make_workload(1U).file();
    for (const std::uint32_t length : {std::uint32_t{0U}, std::uint32_t{1000U}, std::uint32_t{UINT32_MAX}}) {
        BentCommandSet command_set;
        command_set.set_bend([length](WordSpan, DecodedCommand& command, DecodeError&, Status status) {
            command.length_words = length;
            return status;
        });
        expect_refused(command_set, file, Rule::kTrcCommand, std::to_string(length));
    }
}

TEST(BentCommandSet, CannotNameAWordBehindTheTrace) {
    const std::vector<std::uint8_t> file = make_workload(1U).file();
    BentCommandSet command_set;
    command_set.set_bend([](WordSpan words, DecodedCommand&, DecodeError& error, Status) {
        error.word = static_cast<std::uint32_t>(words.size());
        return Status::kRefused;
    });
    const Outcome outcome = judge(file, command_set);
    EXPECT_EQ(outcome.verdict.rule, Rule::kTrcArgument);
    EXPECT_EQ(outcome.verdict.file_offset, segment_offset(file, 2U)) << "the command's first word stands for it";
}

TEST(BentCommandSet, NamesTheHeaderWhereNoWordHoldsTheAddress) {
    const std::vector<std::uint8_t> file = make_workload(1U).file();
    BentCommandSet command_set;
    command_set.set_bend([](WordSpan, DecodedCommand& command, DecodeError&, Status status) {
        extent_change([](Extent& extent) { extent.address = 3U; })(command);
        return status;
    });
    const Outcome outcome = judge(file, command_set);
    EXPECT_EQ(outcome.verdict.rule, Rule::kTrcBounds);
    EXPECT_EQ(outcome.verdict.file_offset, segment_offset(file, 2U));
}

TEST(BentCommandSet, CannotMakeCostsOverflow) {
    const std::vector<std::uint8_t> file = make_workload(1U).file();
    for (const auto field : {&DecodedCommand::cost_cycles, &DecodedCommand::core_cycles}) {
        for (const std::uint64_t cycles : {std::uint64_t{kMaxScriptCycles} + 1U, std::uint64_t{UINT64_MAX}}) {
            BentCommandSet command_set;
            command_set.set_bend([field, cycles](WordSpan, DecodedCommand& command, DecodeError&, Status status) {
                command.*field = cycles;
                return status;
            });
            expect_refused(command_set, file, Rule::kBudCeiling, std::to_string(cycles));
        }
    }
}

// What a command does with other values of a parameter: it must be the same but for the address that moves.
TEST(BentCommandSet, MustTreatEveryValueAlike) {
    const std::vector<std::pair<const char*, Change>> changes{
        {"length", [](DecodedCommand& command) { command.length_words += 1U; }},
        {"kind", [](DecodedCommand& command) { command.kind = CommandKind::kBarrier; }},
        {"cost", [](DecodedCommand& command) { command.cost_cycles += 1U; }},
        {"cost on a core", [](DecodedCommand& command) { command.core_cycles += 1U; }},
        {"number of extents", [](DecodedCommand& command) { command.extents.clear(); }},
        {"size", extent_change([](Extent& extent) { extent.size_bytes += 1U; })},
        {"access", extent_change([](Extent& extent) {
             extent.access = (extent.access == Access::kRead) ? Access::kWrite : Access::kRead;
         })},
        {"all extents move", extent_change([](Extent& extent) { extent.address += 4U; })},
        {"an extent moves down", extent_change([](Extent& extent) { extent.address -= 4U; })},
    };
    for (const AcceptedCase& accepted : accepted_parameters()) {
        for (const auto& [what, change] : changes) {
            std::uint32_t refused = 0U;
            for (std::uint32_t which = 1U; which <= 3U; ++which) {
                std::uint32_t variants = 0U;
                BentCommandSet command_set;
                const Change& bend = change;
                command_set.set_bend(
                    [&variants, &bend, which](WordSpan words, DecodedCommand& command, DecodeError&, Status status) {
                        // The proof decodes a command with another value in memory of its own.
                        const bool alone = words.size() == command.length_words;  // and not the rest of the trace
                        const bool is_end = command.kind == CommandKind::kEnd;
                        if (is_ok(status) && alone && !is_end) {
                            variants += 1U;
                            if (variants == which) {
                                bend(command);
                            }
                        }
                        return status;
                    });
                const Outcome outcome = judge(accepted.file, command_set);
                if (outcome.verdict.rule == Rule::kParAccepted) {
                    refused += 1U;
                }
                EXPECT_TRUE(is_ok(outcome.status) || (outcome.verdict.rule == Rule::kParAccepted))
                    << accepted.what << ": " << what << ' ' << rule_id(outcome.verdict.rule);
            }
            EXPECT_GT(refused, 0U) << accepted.what << ": " << what;
        }
    }
}

}  // namespace
}  // namespace pianola::test
