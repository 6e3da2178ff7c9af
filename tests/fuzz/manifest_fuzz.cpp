// Fuzzer of everything behind the digest. An input is a trace binary, of which only the four segments count: envelope
// and digest are made anew, so that every input gets as far as the structure of its manifest. What is accepted is
// loaded and replayed on the simulator, with all device memory watched (tests/hostile/target.h).
//
// Inputs are bound to the small device of tests/support/workload.h. An input without a usable segment table is taken
// for a manifest alone, and gets the segments of the small workload.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <unordered_set>

#include "tests/fuzz/harness.h"
#include "tests/hostile/mutator.h"
#include "tests/hostile/target.h"

namespace pianola::fuzz {
namespace {

struct Parts {
    Bytes manifest;
    capture::Segments segments;
    Bytes checks;

    [[nodiscard]] std::array<Bytes*, kSegmentCount> all() {
        return {&manifest, &segments.weights, &segments.traces, &segments.self_tests, &checks};
    }
    [[nodiscard]] Bytes file() const { return test::assemble_without_digest(manifest, segments, checks); }
};

const test::Workload& small_workload() {
    static const test::Workload kWorkload = test::make_small_workload(2U, 1U);
    return kWorkload;
}

test::Target& small_target() {
    static test::Target target{test::small_subject()};
    return target;
}

Parts parts_of(ByteSpan input) {
    const Bytes file{input.begin(), input.end()};
    Parts parts;
    std::uint32_t index = 0U;
    for (Bytes* const part : parts.all()) {
        const bool has_table = file.size() >= test::kHeaderBytes;
        const std::uint64_t offset = has_table ? test::segment_offset(file, index) : 0U;
        const std::uint64_t size = has_table ? test::segment_bytes(file, index) : 0U;
        if (!has_table || ((offset + size) > file.size())) {
            const test::Workload& small = small_workload();
            return {file, small.segments, capture::checks_of(small.manifest, small.segments)};
        }
        const auto first = file.begin() + static_cast<std::ptrdiff_t>(offset);
        part->assign(first, first + static_cast<std::ptrdiff_t>(size));
        index += 1U;
    }
    return parts;
}

// A workload to be changed as such, where the manifest is well-formed.
std::optional<test::Workload> workload_of(const Parts& parts) {
    const Bytes file = parts.file();
    const test::ExactBytes bytes(file.begin(), file.end());
    Envelope envelope;
    Image image;
    Verdict verdict;
    if (!is_ok(parse_envelope(test::view_of(bytes), envelope, verdict)) ||
        !is_ok(open_image(test::view_of(bytes), envelope, profiles::kHost, image, verdict))) {
        return std::nullopt;
    }
    return test::Workload{capture::read_manifest(image), parts.segments};
}

void resize_to_words(Bytes& bytes) {
    bytes.resize((bytes.size() / sizeof(std::uint32_t)) * sizeof(std::uint32_t));
}

// Other commands, with counts and costs that fit.
void change_commands(test::Workload& workload, std::size_t max_bytes, test::Random& random) {
    Bytes& traces = workload.segments.traces;
    mutate_bytes(traces, max_bytes, random);
    resize_to_words(traces);
    std::vector<std::uint32_t> words = test::words_of(traces);
    test::repair_costs(words);
    traces = test::bytes_of(words);
    if (workload.manifest.traces.size() == 1U) {
        test::set_trace(workload, words);
    }
}

void change_workload(Parts& parts, std::size_t max_bytes, test::Random& random) {
    std::optional<test::Workload> workload = workload_of(parts);
    if (!workload.has_value()) {
        mutate_bytes(parts.manifest, max_bytes, random);
        return;
    }
    if (random.one_in(3U)) {
        change_commands(*workload, max_bytes, random);
    } else {
        const std::uint32_t edits = 1U + random.below(2U);
        for (std::uint32_t i = 0U; i < edits; ++i) {
            test::change_something(random, workload->manifest);
        }
    }
    parts.manifest = capture::encode_manifest(workload->manifest);
    parts.segments = workload->segments;
    parts.checks = capture::checks_of(workload->manifest, workload->segments);
}

// Names change nothing that a replay could show.
std::size_t replay_key(const Bytes& file) {
    std::optional<test::Workload> workload = workload_of(parts_of({file.data(), file.size()}));
    test::require(workload.has_value(), "what was accepted is well-formed");
    capture::Manifest& manifest = workload->manifest;
    const auto forget = [](auto& list) {
        for (auto& each : list) {
            each.name = "-";
        }
    };
    forget(manifest.regions);
    forget(manifest.buffers);
    forget(manifest.inputs);
    forget(manifest.outputs);
    forget(manifest.parameters);
    forget(manifest.traces);
    for (auto& trace : manifest.traces) {
        forget(trace.programs);
    }
    manifest.source_name = "-";
    manifest.tool_version = "-";
    const Bytes key = test::assemble_without_digest(capture::encode_manifest(manifest), workload->segments);
    return std::hash<std::string>{}({key.begin(), key.end()});
}

}  // namespace

void run_one(ByteSpan input) {
    test::Target& target = small_target();
    Bytes file = parts_of(input).file();
    if (!target.attack_behind_digest(file)) {
        return;
    }
    capture::fix_digest(file);
    // A replay costs as much as a hundred refusals, and most of what is accepted differs in names.
    static std::unordered_set<std::size_t> replayed;
    test::require(target.attack(file, replayed.insert(replay_key(file)).second),
                  "the digest changes no verdict but its own");
}

void mutate(Bytes& input, std::size_t max_bytes, test::Random& random) {
    Parts parts = parts_of({input.data(), input.size()});
    const std::uint32_t choice = random.below(8U);
    if (choice < 3U) {
        mutate_bytes(parts.manifest, max_bytes, random);
    } else if (choice < 7U) {
        change_workload(parts, max_bytes, random);
    } else {
        Bytes& part = *parts.all().at(1U + random.below(kSegmentCount - 1U));
        mutate_bytes(part, max_bytes, random);
    }
    input = parts.file();
    if (random.one_in(4U) && !small_target().attack_behind_digest(input) &&
        (small_target().rule() == Rule::kBudCycles)) {
        (void)test::repair_cycles(small_target().verdict(), input);
    }
}

}  // namespace pianola::fuzz
