#include "capture_host/cli/inspect_parts.h"

#include <fmt/format.h>

#include <memory>

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/verify.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/evidence_text.h"
#include "capture_host/cli/packing.h"
#include "pianola/rule.h"

namespace pianola::cli {
namespace {

bool is_of_another_build(Rule rule) {
    return (rule == Rule::kTgtFamily) || (rule == Rule::kTgtCommandSet) || (rule == Rule::kTgtKernelLibrary);
}

}  // namespace

bool is_known(const BinaryFile& file, const Image& image) {
    return capture::to_string(image.target().device_family) == file.device().family;
}

std::vector<CommandLine> decode_trace(const BinaryFile& file, const Image& image, const TraceView& trace) {
    std::vector<CommandLine> lines;
    if (!is_known(file, image)) {
        lines.push_back({0U, "undecodable: " + file.why_not(), {}});
        return lines;
    }
    const WordSpan words = image.trace_words().subspan(trace.offset_bytes / sizeof(std::uint32_t), trace.word_count);
    const targets::WalkEnd end = targets::for_each_command(
        file.target().command_set(), words, [&](std::uint32_t word, const DecodedCommand& command) {
            lines.push_back({word, targets::command_name(file.target(), command), command});
        });
    if (!end.is_whole()) {
        lines.push_back({static_cast<std::uint32_t>(end.word), fmt::format("undecodable: {}", end.refused), {}});
    }
    return lines;
}

Judgement judge(const BinaryFile& file) {
    capture::Verification proofs;
    Judgement judgement;
    const bool accepted = is_ok(
        proofs.verify(file.bytes(), file.device(), file.target().command_set(), signing::DevelopmentTrust{}.get()));
    judgement.verdict = proofs.verdict;
    if (accepted) {
        judgement.why_no_views = describe_views(*proofs.plan, proofs.image);
        judgement.views = judgement.why_no_views.empty();
    } else if (is_of_another_build(judgement.verdict.rule)) {
        judgement.why_no_views =
            "the binary is for another device family, command set or kernel library, whose commands this build does "
            "not know";
    } else {
        judgement.why_no_views = fmt::format("the binary is refused: {}", rule_id(judgement.verdict.rule));
    }
    return judgement;
}

std::string devices_text(const capture::ManifestTarget& target, const DeviceRange& devices) {
    const auto last = [](std::uint32_t first, std::uint32_t count) { return first + count - 1U; };
    if ((target.mesh_rows * target.mesh_columns) == 1U) {
        return {};
    }
    const std::string first = fmt::format("({}, {})", devices.row, devices.column);
    return ((devices.rows * devices.columns) == 1U)
               ? first
               : fmt::format("{} to ({}, {})", first, last(devices.row, devices.rows),
                             last(devices.column, devices.columns));
}

std::string views_text(const Judgement& judgement) {
    if (judgement.views.value_or(false)) {
        return "possible";
    }
    return fmt::format("{}: {}", judgement.views.has_value() ? "not possible" : "not looked at",
                       judgement.why_no_views);
}

nlohmann::json packing_in(const BinaryFile& file, const Image& image) {
    return is_known(file, image) ? packing_of(file.target(), image) : nlohmann::json::array();
}

nlohmann::json evidence_in(const BinaryFile& file, const Image& image, const Judgement& judgement) {
    return evidence_of(image, is_ok(judgement.verdict.status) ? &file.target().command_set() : nullptr);
}

}  // namespace pianola::cli
