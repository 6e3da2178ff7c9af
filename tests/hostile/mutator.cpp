#include "tests/hostile/mutator.h"

#include <algorithm>
#include <array>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/costs/cost_model.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "tests/support/trace_file.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kManifest = 0U;
constexpr std::uint32_t kTraces = 2U;

// Where in the file to do harm: mostly in the manifest and the traces, where structure is.
struct Range {
    std::uint32_t offset;
    std::uint32_t size_bytes;
};

Range pick_range(Random& random, const std::vector<std::uint8_t>& file) {
    const std::uint32_t choice = random.below(8U);
    const std::uint32_t segment = (choice < 4U) ? kManifest : ((choice < 7U) ? kTraces : random.below(4U));
    const Range range{segment_offset(file, segment), segment_bytes(file, segment)};
    return (range.size_bytes >= 4U) ? range : Range{segment_offset(file, kManifest), segment_bytes(file, kManifest)};
}

// The start of a command, by chance.
std::size_t pick_command(Random& random, const std::vector<std::uint32_t>& words) {
    std::vector<std::size_t> starts;
    for (std::size_t at = 0U; at < words.size(); at += std::max(1U, refdev::length_words_of(words[at]))) {
        starts.push_back(at);
    }
    return starts.at(random.below(static_cast<std::uint32_t>(starts.size())));
}

void change_words(Random& random, std::vector<std::uint32_t>& words) {
    const std::size_t at = pick_command(random, words);
    const std::size_t length =
        std::min<std::size_t>(std::max(1U, refdev::length_words_of(words[at])), words.size() - at);
    const auto first = words.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last = first + static_cast<std::ptrdiff_t>(length);
    switch (random.below(8U)) {
        case 0U:
            words.erase(first, last);
            break;
        case 1U: {
            const std::vector<std::uint32_t> command{first, last};
            words.insert(words.begin() + static_cast<std::ptrdiff_t>(pick_command(random, words)), command.begin(),
                         command.end());
            break;
        }
        case 2U:
            words.insert(first, refdev::header_word(refdev::Opcode::kBarrier, 1U));
            break;
        case 3U: {
            const std::array<std::uint32_t, 4> fill{refdev::header_word(refdev::Opcode::kFill, 4U),
                                                    words[random.below(static_cast<std::uint32_t>(words.size()))],
                                                    1U + random.below(128U), random.below(256U)};
            words.insert(first, fill.begin(), fill.end());
            break;
        }
        default: {  // an argument: another word's value, or one near its own
            std::uint32_t& word = words[at + random.below(static_cast<std::uint32_t>(length))];
            word = random.one_in(3U) ? words[random.below(static_cast<std::uint32_t>(words.size()))]
                                     : interesting(random, word);
            break;
        }
    }
}

}  // namespace

std::uint32_t interesting(Random& random, std::uint32_t value) {
    constexpr std::array<std::uint32_t, 24> kValues{
        0U,           1U,           2U,           3U,           4U,           5U,           8U,           63U,
        64U,          65U,          127U,         128U,         255U,         256U,         0xFFFFU,      0x1'0000U,
        0x7FFF'FFFFU, 0x8000'0000U, 0x8000'0001U, 0xFFFF'FFFFU, 0xFFFF'FFFEU, 0xFFFF'FFC0U, 0x1000'0000U, 0xFFFF'FF80U};
    constexpr std::array<std::uint32_t, 6> kSteps{1U, 2U, 4U, 16U, 32U, 64U};
    const std::uint32_t step = kSteps.at(random.below(kSteps.size()));
    switch (random.below(6U)) {
        case 0U:
            return kValues.at(random.below(kValues.size()));
        case 1U:
            return value + step;
        case 2U:
            return value - step;
        case 3U:
            return value ^ (1U << random.below(32U));
        case 4U:
            return random.one_in(2U) ? (value * 2U) : (value / 2U);
        default:
            return random.one_in(4U) ? random.word() : random.below(300U);
    }
}

void repair_costs(std::vector<std::uint32_t>& words) {
    std::size_t at = 0U;
    while (at < words.size()) {
        const std::size_t length = refdev::length_words_of(words[at]);
        if ((length == 0U) || (length > (words.size() - at))) {
            return;
        }
        const std::uint32_t opcode = words[at] & refdev::kOpcodeMask;
        const bool dispatches = opcode == static_cast<std::uint32_t>(refdev::Opcode::kDispatch);
        const std::size_t head = dispatches ? refdev::kDispatchHeadWords : refdev::kLaunchHeadWords;
        const bool launches =
            (dispatches || (opcode == static_cast<std::uint32_t>(refdev::Opcode::kLaunch))) && (length > head);
        const refdev::Kernel* const kernel = launches ? refdev::find_kernel(words[at + head - 2U]) : nullptr;
        const std::size_t arguments = length - std::min<std::size_t>(length, head);
        ExtentList extents;
        refdev::ArgumentError error;
        if ((kernel != nullptr) && (kernel->argument_words == arguments) &&
            is_ok(kernel->describe(WordSpan{&words[at + head], arguments}, extents, error))) {
            words[at + head - 1U] = static_cast<std::uint32_t>(
                refdev::launch_cost(refdev::kVirtualCosts, *kernel, WordSpan{&words[at + head], arguments}, extents));
        }
        at += length;
    }
}

void Mutator::make(Random& random, std::vector<std::uint8_t>& file) {
    const std::uint32_t choice = random.below(16U);
    if (choice < 5U) {
        damage_bytes(random, file);
    } else if (choice < 6U) {
        damage_header(random, file);
    } else if (choice < 7U) {
        damage_structure(random, file);
    } else if (choice < 11U) {
        change_manifest(random, file);
    } else {
        change_trace(random, file);
    }
    if (file.size() >= kHeaderBytes) {
        capture::fix_digest(file);
    }
}

void Mutator::damage_bytes(Random& random, std::vector<std::uint8_t>& file) const {
    file.assign(subject_.file.begin(), subject_.file.end());
    const std::uint32_t edits = 1U + random.below(4U);
    for (std::uint32_t i = 0U; i < edits; ++i) {
        const Range range = pick_range(random, file);
        const std::size_t at = range.offset + random.below(range.size_bytes);
        const std::size_t word = range.offset + (random.below(range.size_bytes / 4U) * 4U);
        switch (random.below(5U)) {
            case 0U:
                file[at] = static_cast<std::uint8_t>(file[at] ^ (1U << random.below(8U)));
                break;
            case 1U:
                file[at] = random.byte();
                break;
            case 2U:
                store32(file, word, interesting(random, load32(file, word)));
                break;
            case 3U: {  // half a word: offsets of vtables
                const std::uint32_t half = interesting(random, file[word] | (std::uint32_t{file[word + 1U]} << 8U));
                file[word] = static_cast<std::uint8_t>(half);
                file[word + 1U] = static_cast<std::uint8_t>(half >> 8U);
                break;
            }
            default: {  // a splice
                const Range other = pick_range(random, file);
                const std::uint32_t room = std::min(range.size_bytes, other.size_bytes);
                const std::uint32_t count = 1U + random.below(std::min(room, 64U));
                const auto from = file.begin() + other.offset + random.below((other.size_bytes - count) + 1U);
                const std::vector<std::uint8_t> piece{from, from + count};
                std::copy(piece.begin(), piece.end(),
                          file.begin() + range.offset + random.below((range.size_bytes - count) + 1U));
                break;
            }
        }
    }
}

void Mutator::damage_header(Random& random, std::vector<std::uint8_t>& file) const {
    file.assign(subject_.file.begin(), subject_.file.end());
    const std::uint32_t edits = 1U + random.below(3U);
    for (std::uint32_t i = 0U; i < edits; ++i) {
        const std::size_t word = std::size_t{4U} * random.below(kHeaderBytes / 4U);
        store32(file, word, interesting(random, load32(file, word)));
    }
    if (random.one_in(4U)) {
        file.resize(random.below(static_cast<std::uint32_t>(file.size()) + 128U));
        if (file.size() >= kHeaderBytes) {
            store32(file, kTotalBytesOffset, static_cast<std::uint32_t>(file.size()));
        }
    }
}

// Segments of other sizes, in a header that describes them rightly.
void Mutator::damage_structure(Random& random, std::vector<std::uint8_t>& file) const {
    std::vector<std::uint8_t> manifest = capture::encode_manifest(subject_.parts.manifest);
    capture::Segments segments = subject_.parts.segments;
    std::vector<std::uint8_t> checks = capture::checks_of(subject_.parts.manifest, segments);
    const std::array<std::vector<std::uint8_t>*, kSegmentCount> all{&manifest, &segments.weights, &segments.traces,
                                                                    &segments.self_tests, &checks};
    std::vector<std::uint8_t>& segment = *all.at(random.below(kSegmentCount));
    const auto size = static_cast<std::uint32_t>(segment.size());
    switch (random.below(4U)) {
        case 0U:
            segment.resize(random.below(size + 1U));
            break;
        case 1U:
            segment.resize(size + 1U + random.below(64U), random.one_in(2U) ? random.byte() : std::uint8_t{0U});
            break;
        case 2U:
            segment.clear();
            break;
        default:
            std::swap(segment, *all.at(random.below(kSegmentCount)));
            break;
    }
    file = assemble(manifest, segments, checks);
}

void Mutator::change_manifest(Random& random, std::vector<std::uint8_t>& file) const {
    capture::Manifest manifest = subject_.parts.manifest;
    const std::uint32_t edits = 1U + random.below(3U);
    for (std::uint32_t i = 0U; i < edits; ++i) {
        change_something(random, manifest);
    }
    file = capture::write_trace_binary(manifest, subject_.parts.segments);
}

// Other commands, with costs, counts and budgets that fit them: what is left to refuse is what the commands do.
void Mutator::change_trace(Random& random, std::vector<std::uint8_t>& file) const {
    Workload parts = subject_.parts;
    std::vector<std::uint32_t> words = words_of(parts.segments.traces);
    const std::uint32_t edits = 1U + random.below(3U);
    for (std::uint32_t i = 0U; (i < edits) && !words.empty(); ++i) {
        change_words(random, words);
    }
    repair_costs(words);
    parts.segments.traces = bytes_of(words);
    parts.manifest.traces.front().word_count = static_cast<std::uint32_t>(words.size());
    set_trace(parts, words);
    if (random.one_in(8U)) {
        change_something(random, parts.manifest);
    }
    file = parts.file();
}

}  // namespace pianola::test
