// A vendor's command set: commands of the greatest length, and what is refused where it breaks its contract
// (runtime/include/pianola/command_set.h).
#include <gtest/gtest.h>

#include "hal/devices/refdev/command_encoding.h"
#include "pianola/development_config.h"
#include "tests/runtime/rule_case.h"
#include "tests/support/doubles.h"
#include "tests/support/trace_file.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kVendorHeader = 0xABCD'0000U;  // no command of the reference device
constexpr std::uint32_t kAddressWord = 1U;
constexpr std::uint32_t kValueWord = 2U;
constexpr std::uint32_t kFilledBytes = 16U;
constexpr std::uint64_t kCycles = 10U;

// What the vendor's command says of itself.
struct VendorCommand {
    std::uint32_t length_words{3U};
    std::uint64_t cost_cycles{kCycles};
    std::uint64_t core_cycles{0U};
};

// The reference device's commands, and one more, which fills.
class VendorCommandSet final : public ForwardingCommandSet {
  public:
    explicit VendorCommandSet(const VendorCommand& command) : command_{command} {}

    Status decode(WordSpan words, DecodeState& state, DecodedCommand& command,
                  DecodeError& error) const noexcept override {
        if (words[0] != kVendorHeader) {
            return ForwardingCommandSet::decode(words, state, command, error);
        }
        command.clear();
        command.kind = CommandKind::kFill;
        command.length_words = command_.length_words;
        command.cost_cycles = command_.cost_cycles;
        command.core_cycles = command_.core_cycles;
        return command.extents.add(words[kAddressWord], kFilledBytes, Access::kWrite, "destination") ? Status::kOk
                                                                                                     : Status::kRefused;
    }
    [[nodiscard]] PatchKind patch_kind(WordSpan words, std::uint32_t word) const noexcept override {
        if (words[0] != kVendorHeader) {
            return ForwardingCommandSet::patch_kind(words, word);
        }
        return (word == kValueWord) ? PatchKind::kValue : PatchKind::kNone;
    }

  private:
    VendorCommand command_;
};

// A workload whose trace begins with the vendor's command of `words`; with a parameter in it, if it is patched.
Mutant vendor_file(std::uint32_t words, bool patched) {
    return workload_edit([=](Workload& workload, DeviceDescription&) {
        capture::Manifest& manifest = workload.manifest;
        manifest.regions[3].size_bytes = 4096U;
        std::vector<std::uint32_t> trace(words, 0U);
        trace.at(0U) = kVendorHeader;
        trace.at(kAddressWord) = manifest.regions[3].base + 1024U;
        const std::vector<std::uint32_t> old = words_of(workload.segments.traces);
        trace.insert(trace.end(), old.begin(), old.end());
        workload.segments.traces = bytes_of(trace);
        capture::ManifestTrace& described = manifest.traces.front();
        described.word_count += words;
        described.command_count += 1U;
        described.cost_cycles += kCycles;
        described.programs = {{"all", described.command_count - 1U}};
        manifest.step_cycles += kCycles;
        manifest.step_deadline_us = UINT32_MAX;
        if (patched) {
            manifest.parameters = {{"value", ParameterKind::kRuntimeArgument, 0U, 9U, 1U, {{0U, kValueWord}}}};
        }
    })();
}

// The verdict on such a file, with a command set that says `command` of it.
Verdict verdict_of(const Mutant& mutant, const VendorCommand& command) {
    const files::AlignedBytes file{mutant.file};
    const VendorCommandSet command_set{command};
    const auto workspace = std::make_unique<PlanWorkspace>();
    const auto plan = std::make_unique<Plan>();
    Image image;
    Verdict verdict;
    const Status status =
        validate(file.view(), mutant.device, command_set, kDevelopmentTrust, *workspace, image, *plan, verdict);
    EXPECT_EQ(status, verdict.status);
    return verdict;
}

Verdict verdict_of(const VendorCommand& command, bool patched = false) {
    return verdict_of(vendor_file(command.length_words, patched), command);
}

TEST(CommandSet, CommandsOfAnyLengthAreAcceptedWhereNothingIsPatched) {
    for (const std::uint32_t words : {3U, kMaxCommandWords, kMaxCommandWords + 1U, 1000U}) {
        const Verdict verdict = verdict_of(VendorCommand{words});
        EXPECT_EQ(verdict.status, Status::kOk) << words << ": " << rule_id(verdict.rule) << " " << path_text(verdict);
    }
}

TEST(CommandSet, APatchedCommandMayHaveTheGreatestLengthAndNotAWordMore) {
    EXPECT_EQ(verdict_of(VendorCommand{kMaxCommandWords}, true).status, Status::kOk);
    const Verdict verdict = verdict_of(VendorCommand{kMaxCommandWords + 1U}, true);
    EXPECT_STREQ(rule_id(verdict.rule), "PAR-ACCEPTED");
    EXPECT_EQ(path_text(verdict), "traces[0].commands[0]");
}

TEST(CommandSet, ALengthThatIsNoneIsRefused) {
    const Mutant mutant = vendor_file(3U, false);
    for (const std::uint32_t claimed : {0U, 3U + 40U + 2U, 0x4000'0000U, UINT32_MAX}) {
        const Verdict verdict = verdict_of(mutant, VendorCommand{claimed});
        EXPECT_STREQ(rule_id(verdict.rule), "TRC-COMMAND") << claimed;
        EXPECT_EQ(path_text(verdict), "traces[0].commands[0].header");
    }
}

TEST(CommandSet, CostsThatWouldWrapAreRefused) {
    for (const VendorCommand& command : {VendorCommand{3U, kMaxScriptCycles + 1U}, VendorCommand{3U, UINT64_MAX},
                                         VendorCommand{3U, kMaxScriptCycles, 1U}, VendorCommand{3U, 1U, UINT64_MAX}}) {
        const Verdict verdict = verdict_of(command);
        EXPECT_EQ(verdict.status, Status::kRefused) << command.cost_cycles << " " << command.core_cycles;
        EXPECT_EQ(rule_id(verdict.rule), std::string{"BUD-CEILING"})
            << command.cost_cycles << " " << command.core_cycles;
    }
}

}  // namespace
}  // namespace pianola::test
