#include "tests/widths/judge.h"

#include <array>

#include "runtime/image/schema_check.h"
#include "tests/runtime/probe_rules.h"

namespace pianola::test {
namespace {

std::string line_of(Status status, const Verdict& verdict) {
    if (is_ok(status)) {
        return "accepted";
    }
    std::array<char, 256> path{};
    static_cast<void>(format_path(verdict.path, Span<char>{path}));
    return std::string{rule_id(verdict.rule)} + " " + path.data() + " " + std::to_string(verdict.file_offset) + " " +
           std::to_string(verdict.actual) + " " + std::to_string(verdict.limit);
}

// The first of the lines, or all of them where they differ.
std::string common(const std::vector<std::string>& lines) {
    bool same = true;
    std::string all = "the verdict depends on the address:";
    for (const std::string& line : lines) {
        same = same && (line == lines.front());
        all += " [" + line + "]";
    }
    return same ? lines.front() : all;
}

}  // namespace

std::string Judge::file(const Bytes& bytes, const DeviceDescription& device, const Trust& trust, std::size_t shift,
                        std::size_t file_bytes) {
    std::vector<std::string> lines;
    for (const ByteSpan view : places_.put(bytes, shift)) {
        Verdict verdict;
        const ByteSpan whole{view.data(), (file_bytes > view.size()) ? file_bytes : view.size()};
        const Status status = validate(whole, device, command_set_, trust, *workspace_, image_, *plan_, verdict);
        lines.push_back(line_of(status, verdict));
    }
    return common(lines);
}

std::string Judge::probe(const Bytes& buffer) {
    constexpr flatbuffers::uoffset_t kTables = 1000U;
    std::vector<std::string> lines;
    for (const ByteSpan view : places_.put(buffer)) {
        flatbuffers::Verifier verifier{view.data(), view.size(), kMaxManifestDepth, kTables};
        std::uint32_t tables = 0U;
        Verdict verdict;
        if (!check_structure(probe::kProbeRules, view, "PTPR", verifier, tables)) {
            lines.push_back("IMG-STRUCTURE after " + std::to_string(tables));
            continue;
        }
        const auto& root = *flatbuffers::GetRoot<flatbuffers::Table>(view.data());
        const bool strict = check_strictness(probe::kProbeRules, view, root, verdict);
        lines.push_back(line_of(strict ? Status::kOk : Status::kRefused, verdict) + " of " +
                        std::to_string(verifier.GetComputedSize()));
    }
    return common(lines);
}

}  // namespace pianola::test
