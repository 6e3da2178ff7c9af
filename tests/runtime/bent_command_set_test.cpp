// A command set that breaks its contract: the proof refuses, and does not run on, wrap or believe it.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <vector>

#include "pianola/development_config.h"
#include "tests/runtime/rule_case.h"
#include "tests/support/doubles.h"
#include "tests/support/trace_file.h"
#include "tests/support/verifies.h"
#include "tests/support/workload.h"

namespace pianola::test {
namespace {

// The reference device's, whose answers to decode() can be bent.
class BentCommandSet final : public ForwardingCommandSet {
  public:
    // What the device says of words, and what becomes of it.
    using Bend = std::function<Status(WordSpan words, DecodedCommand& command, DecodeError& error, Status status)>;

    void set_bend(Bend bend) { bend_ = std::move(bend); }
    void set_patch_kind(PatchKind kind) { patch_kind_ = kind; }

    Status decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                  DecodeError& error) const noexcept override {
        const Status status = ForwardingCommandSet::decode(words, state, command, error);
        return bend_ ? bend_(words, command, error, status) : status;
    }
    [[nodiscard]] PatchKind patch_kind(WordSpan words, std::uint32_t word) const noexcept override {
        return patch_kind_.value_or(ForwardingCommandSet::patch_kind(words, word));
    }

  private:
    Bend bend_;
    std::optional<PatchKind> patch_kind_;
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
            EXPECT_TRUE(command.extents.add(extent));
        }
    };
}

TEST(BentCommandSet, UnbentAcceptsWhatTheDeviceAccepts) {
    verifies({"swr~published-extents~1"});
    const BentCommandSet command_set;
    for (const AcceptedCase& accepted : accepted_cases()) {
        EXPECT_EQ(judge(accepted.file, command_set).status, Status::kOk) << accepted.what;
    }
}

TEST(BentCommandSet, CannotSayHowLongACommandIs) {
    verifies({"swr~published-extents~1"});
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

TEST(BentCommandSet, CannotLeaveOutWhatACommandIs) {
    const std::vector<std::uint8_t> file = make_workload(1U).file();
    for (const std::uint32_t kind : {0U, 7U, 255U}) {
        BentCommandSet command_set;
        command_set.set_bend([kind](WordSpan, DecodedCommand& command, DecodeError&, Status status) {
            command.kind = static_cast<CommandKind>(kind);
            return status;
        });
        expect_refused(command_set, file, Rule::kTrcCommand, std::to_string(kind));
    }
    ExtentList extents;
    EXPECT_FALSE(extents.add(0U, 4U, Access::kUnspecified, "destination"));
    EXPECT_FALSE(extents.add(Extent{0U, 4U, Access::kUnspecified, "destination", {}, {}}));
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
    verifies({"swr~published-extents~1"});
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

// The proof decodes a command with a parameter's lowest, highest and second value, each in memory of its own.
constexpr std::uint32_t kLowest = 1U;
constexpr std::uint32_t kHighest = 2U;
constexpr std::uint32_t kLast = 3U;

// With several parameters it decodes all combinations of lowest and highest values, and a second value of each.
constexpr std::uint32_t variants_with(std::uint32_t parameters) {
    return (1U << parameters) + parameters;
}
static_assert(variants_with(1U) == kLast);

// Bends one of them: the change is given which one it is.
using VariantChange = std::function<void(std::uint32_t which, DecodedCommand& command)>;
Outcome judge_with_variants(const std::vector<std::uint8_t>& file, const VariantChange& change,
                            std::uint32_t last = kLast) {
    std::uint32_t variants = 0U;
    BentCommandSet command_set;
    command_set.set_bend([&](WordSpan words, DecodedCommand& command, DecodeError&, Status status) {
        const bool alone = words.size() == command.length_words;  // and not the rest of the trace
        if (is_ok(status) && alone && (command.kind != CommandKind::kEnd)) {
            variants += 1U;
            change(variants, command);
        }
        return status;
    });
    const Outcome outcome = judge(file, command_set);
    EXPECT_LE(variants, last) << "one command with parameters, looked at once";
    return outcome;
}

struct VariantCase {
    const char* what;
    Change change;
};

// What a command does with other values of a parameter: it must be the same but for the address that moves.
TEST(BentCommandSet, MustTreatEveryValueThatIsLookedAtAlike) {
    const std::vector<VariantCase> cases{
        {"length", [](DecodedCommand& command) { command.length_words += 1U; }},
        {"kind", [](DecodedCommand& command) { command.kind = CommandKind::kBarrier; }},
        {"kernel", [](DecodedCommand& command) { command.kernel_id += 1U; }},
        {"core", [](DecodedCommand& command) { command.core += 1U; }},
        {"cost", [](DecodedCommand& command) { command.cost_cycles += 1U; }},
        {"cost on a core", [](DecodedCommand& command) { command.core_cycles += 1U; }},
        {"number of extents", [](DecodedCommand& command) { command.extents.clear(); }},
        {"size", extent_change([](Extent& extent) { extent.size_bytes += 1U; })},
        {"access", extent_change([](Extent& extent) {
             extent.access = (extent.access == Access::kRead) ? Access::kWrite : Access::kRead;
         })},
        {"inner runs", extent_change([](Extent& extent) { extent.inner = Repeat{2U, 0U}; })},
        {"inner stride", extent_change([](Extent& extent) { extent.inner.stride_bytes = 4U; })},
        {"outer runs", extent_change([](Extent& extent) { extent.outer = Repeat{2U, 0U}; })},
        {"outer stride", extent_change([](Extent& extent) { extent.outer.stride_bytes = 4U; })},
        {"all extents move", extent_change([](Extent& extent) { extent.address += 4U; })},
        {"an extent moves down", extent_change([](Extent& extent) { extent.address -= 4U; })},
    };
    const auto expect_refusals = [&cases](const AcceptedCase& accepted, std::uint32_t last) {
        for (const VariantCase& variant : cases) {
            for (std::uint32_t which = kLowest; which <= last; ++which) {
                const Outcome outcome = judge_with_variants(
                    accepted.file,
                    [&](std::uint32_t seen, DecodedCommand& command) {
                        if (seen == which) {
                            variant.change(command);
                        }
                    },
                    last);
                EXPECT_STREQ(rule_id(outcome.verdict.rule), rule_id(Rule::kParAccepted))
                    << accepted.what << ": " << variant.what << " at " << which;
            }
        }
    };
    for (const AcceptedCase& accepted : accepted_parameters()) {
        expect_refusals(accepted, kLast);
    }
    for (const AcceptedCase& accepted : accepted_combinations()) {
        expect_refusals(accepted, variants_with(2U));
    }
}

// What moves may be several runs: it takes their hull at every value, and nothing of it counts as written.
TEST(BentCommandSet, MayMoveSeveralRuns) {
    std::uint32_t judged = 0U;
    for (const AcceptedCase& accepted : accepted_parameters()) {
        const Outcome outcome = judge_with_variants(accepted.file, [](std::uint32_t, DecodedCommand& command) {
            extent_change([](Extent& extent) {
                if (extent.size_bytes >= 4U) {
                    extent.inner = Repeat{2U, extent.size_bytes - 1U};
                    extent.size_bytes = 1U;
                }
            })(command);
        });
        judged += is_ok(outcome.status) ? 1U : 0U;
        EXPECT_TRUE(is_ok(outcome.status) || (outcome.verdict.rule == Rule::kTrcUnwritten) ||
                    (outcome.verdict.rule == Rule::kScrUnwritten))
            << accepted.what << ": " << rule_id(outcome.verdict.rule);
    }
    EXPECT_GT(judged, 0U);
}

// Each extent may be one that moves; two that do so at once would not be what one address says.
TEST(BentCommandSet, CannotMoveTwoExtents) {
    std::uint32_t judged = 0U;
    for (const AcceptedCase& accepted : accepted_parameters()) {
        std::vector<Extent> lowest;
        bool moves = false;
        const Outcome outcome = judge_with_variants(accepted.file, [&](std::uint32_t seen, DecodedCommand& command) {
            const Span<const Extent> extents = command.extents.view();
            if (seen == kLowest) {
                lowest.assign(extents.begin(), extents.end());
            }
            if (seen != kHighest) {
                return;
            }
            std::uint32_t span = 0U;
            for (std::size_t i = 0U; i < extents.size(); ++i) {
                span |= extents[i].address - lowest[i].address;
            }
            moves = (span != 0U) && (extents.size() > 1U);
            command.extents.clear();
            for (const Extent& extent : lowest) {
                EXPECT_TRUE(command.extents.add(extent.address + span, extent.size_bytes, extent.access, extent.field));
            }
        });
        judged += moves ? 1U : 0U;
        EXPECT_EQ(outcome.status, moves ? Status::kRefused : Status::kOk) << accepted.what;
        EXPECT_EQ(outcome.verdict.rule, moves ? Rule::kParAccepted : Rule::kAccepted) << accepted.what;
    }
    EXPECT_EQ(judged, 2U) << "a target and a source";
}

// An address that is called a value: it would move what the proof takes to stay.
TEST(BentCommandSet, CannotCallAnAddressAValue) {
    constexpr std::uint32_t kFillAddress = 1U;
    for (const std::uint32_t more : {0U, 64U}) {
        Workload workload = make_workload(1U);
        workload.manifest.regions[3].size_bytes = 4096U;
        const std::uint32_t target = workload.manifest.regions[3].base + 1024U;
        refdev::Words words = refdev::fill_words(target, 16U, 7U);
        refdev::append(words, words_of(workload.segments.traces));
        ASSERT_TRUE(set_trace(workload, words));
        workload.manifest.parameters = {
            {"address", ParameterKind::kRuntimeArgument, target, target + more, 16U, {{0U, kFillAddress}}}};
        BentCommandSet command_set;
        command_set.set_patch_kind(PatchKind::kValue);
        const Outcome outcome = judge(workload.file(), command_set);
        EXPECT_EQ(outcome.verdict.rule, (more == 0U) ? Rule::kAccepted : Rule::kParAccepted)
            << "a single value moves nothing";
    }
}

}  // namespace
}  // namespace pianola::test
