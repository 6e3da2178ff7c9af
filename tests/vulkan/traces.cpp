#include "tests/vulkan/traces.h"

#include <algorithm>

#include "capture_host/capture/link.h"
#include "capture_host/capture/recorder.h"
#include "hal/devices/refdev/host/command_words.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "tests/support/trace_file.h"

namespace pianola::vulkan {
namespace {

using Kind = Piece::Kind;
constexpr std::size_t kMostAtOnce = 2U;  // dispatches between barriers, so that mutants have enough cores
constexpr std::uint32_t kCores = 4U;
constexpr std::uint32_t kTensorBytes = kBlocks * kBlockBytes;

std::uint64_t bits(std::uint32_t first, std::uint32_t count) {
    return ((std::uint64_t{1} << count) - 1U) << first;
}

std::uint64_t writes_of(const Piece& piece) {
    return (piece.kind == Kind::kBarrier) ? 0U : bits(piece.target, piece.blocks);
}

std::uint64_t reads_of(const Piece& piece) {
    return ((piece.kind == Kind::kBarrier) || (piece.kind == Kind::kFill)) ? 0U : bits(piece.source, piece.blocks);
}

bool meet(const Piece& one, const Piece& other) {
    return (writes_of(one) & (writes_of(other) | reads_of(other))) != 0U || (reads_of(one) & writes_of(other)) != 0U;
}

// Each dispatch between two barriers on a core of its own. False where there are too few.
bool number_cores(Pieces& pieces) {
    std::uint32_t core = 0U;
    bool ok = true;
    for (Piece& piece : pieces) {
        if (piece.kind != Kind::kDispatch) {
            core = 0U;
            continue;
        }
        ok = ok && (core < kCores);
        piece.core = core;
        core += 1U;
    }
    return ok;
}

capture::TensorInfo tensor(const char* name) {
    return {name, {1U, kTensorBytes}, ElementType::kInt8, 0.5F, 3};
}

test::Workload copying_workload() {
    capture::Recorder recorder;
    const capture::BufferId input = recorder.add_input(tensor("input"), kTensorBytes);
    const capture::BufferId output = recorder.add_output(tensor("output"), kTensorBytes);
    const capture::BufferId memory = recorder.add_activation("memory", kTensorBytes);
    const std::vector<std::uint32_t> words = refdev::to_words(refdev::CopyArguments{0U, 0U, kTensorBytes});
    recorder.launch({"in",
                     CommandKind::kLaunch,
                     refdev::KernelId::kCopy,
                     words,
                     {{0U, input, 0U, Access::kRead}, {1U, memory, 0U, Access::kWrite}}});
    recorder.launch({"out",
                     CommandKind::kLaunch,
                     refdev::KernelId::kCopy,
                     words,
                     {{0U, memory, 0U, Access::kRead}, {1U, output, 0U, Access::kWrite}}});
    recorder.set_source("copies", Sha256Digest{1U});
    capture::LinkOptions options;
    options.queues = 1U;
    capture::LinkedWorkload linked = capture::link(recorder, options);
    return {std::move(linked.manifest), std::move(linked.segments)};
}

// What runs between two waits for everything is a script; a command that waits is one by itself.
std::vector<test::Submission> scripts_of(const Pieces& pieces, std::uint32_t first, std::uint32_t second) {
    std::vector<test::Submission> scripts;
    bool goes_on = false;
    for (const Piece& piece : pieces) {
        const bool is_dispatch = piece.kind == Kind::kDispatch;
        if (!goes_on || !is_dispatch) {
            scripts.push_back({"between barriers", {}, true});
        }
        goes_on = is_dispatch;
        if ((piece.kind == Kind::kBarrier) || (is_dispatch && (piece.core != first) && (piece.core != second))) {
            continue;
        }
        test::ExploredCommand command;
        command.queue = (is_dispatch && (piece.core == second)) ? 1U : 0U;
        // A source that leaves the memory is in the input.
        command.reads = ((piece.source + piece.blocks) <= kBlocks) ? reads_of(piece) : 0U;
        command.writes = writes_of(piece);
        scripts.back().commands.push_back(command);
    }
    return scripts;
}

}  // namespace

Pieces ordered_pieces(test::Random& random) {
    Pieces pieces;
    Pieces since;  // dispatches since everything was waited for
    const std::uint32_t count = 3U + random.below(6U);
    for (std::uint32_t i = 0U; i < count; ++i) {
        Piece piece;
        const std::uint32_t kind = random.below(8U);
        piece.kind =
            (kind < 4U) ? Kind::kDispatch : ((kind < 6U) ? Kind::kLaunch : ((kind == 6U) ? Kind::kCopy : Kind::kFill));
        piece.core = static_cast<std::uint32_t>(since.size());
        piece.blocks = 1U + random.below(4U);
        piece.target = random.below((kBlocks - piece.blocks) + 1U);
        do {
            piece.source = random.below(((2U * kBlocks) - piece.blocks) + 1U);
        } while ((bits(piece.source, piece.blocks) & bits(piece.target, piece.blocks)) != 0U);
        const bool is_free =
            std::none_of(since.begin(), since.end(), [&piece](const Piece& each) { return meet(each, piece); });
        if ((piece.kind == Kind::kDispatch) && (!is_free || (since.size() == kMostAtOnce))) {
            pieces.push_back({Kind::kBarrier});
            since.clear();
            piece.core = 0U;
        }
        pieces.push_back(piece);
        if (piece.kind == Kind::kDispatch) {
            since.push_back(piece);
        } else {
            since.clear();
        }
    }
    return pieces;
}

std::vector<TraceMutant> mutants_of(const Pieces& pieces) {
    std::vector<TraceMutant> mutants;
    for (std::size_t i = 0U; i < pieces.size(); ++i) {
        Pieces changed = pieces;
        const char* what = nullptr;
        if (pieces[i].kind == Kind::kBarrier) {
            changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(i));
            what = "a barrier";
        } else if (pieces[i].kind == Kind::kLaunch) {
            // What waited for everything and was waited for, as one dispatch more.
            changed[i].kind = Kind::kDispatch;
            if ((i + 1U < changed.size()) && (changed[i + 1U].kind == Kind::kLaunch)) {
                changed[i + 1U].kind = Kind::kDispatch;
            }
            what = "an implied order";
        }
        if ((what != nullptr) && number_cores(changed)) {
            mutants.push_back({what, changed});
        }
    }
    return mutants;
}

SmallTraces::SmallTraces() : workload_{copying_workload()} {
    for (const capture::ManifestRegion& region : workload_.manifest.regions) {
        input_ = (region.kind == RegionKind::kInput) ? region.base : input_;
        memory_ = (region.kind == RegionKind::kActivation) ? region.base : memory_;
        output_ = (region.kind == RegionKind::kOutput) ? region.base : output_;
    }
}

std::vector<std::uint32_t> SmallTraces::words(const Pieces& pieces) const {
    std::vector<std::uint32_t> all = refdev::copy_words(memory_, input_, kTensorBytes);
    for (const Piece& piece : pieces) {
        const std::uint32_t bytes = piece.blocks * kBlockBytes;
        const std::uint32_t target = memory_ + (piece.target * kBlockBytes);
        // Where a source goes from the memory's end into the input, it is read from the input alone.
        const std::uint32_t source = (piece.source + piece.blocks <= kBlocks)
                                         ? (memory_ + (piece.source * kBlockBytes))
                                         : (input_ + ((std::max(piece.source, kBlocks) - kBlocks) * kBlockBytes));
        const std::vector<std::uint32_t> arguments = refdev::to_words(refdev::CopyArguments{source, target, bytes});
        std::vector<std::uint32_t> next;
        switch (piece.kind) {
            case Kind::kLaunch:
                next = refdev::launch_words(refdev::KernelId::kCopy, arguments);
                break;
            case Kind::kDispatch:
                next = refdev::dispatch_words(piece.core, refdev::KernelId::kCopy, arguments);
                break;
            case Kind::kCopy:
                next = refdev::copy_words(target, source, bytes);
                break;
            case Kind::kFill:
                next = refdev::fill_words(target, bytes, piece.core);
                break;
            case Kind::kBarrier:
            default:
                next = refdev::barrier_words();
                break;
        }
        all.insert(all.end(), next.begin(), next.end());
    }
    for (const std::vector<std::uint32_t>& last :
         {refdev::copy_words(output_, memory_, kTensorBytes), refdev::end_words()}) {
        all.insert(all.end(), last.begin(), last.end());
    }
    return all;
}

std::string SmallTraces::verdict(const Pieces& pieces) const {
    test::Workload changed = workload_;
    if (!test::set_trace(changed, words(pieces))) {
        return "words";
    }
    test::Validator validator;
    return is_ok(validator.validate(changed.file())) ? "" : rule_id(validator.verdict().rule);
}

bool writers_meet(const Pieces& pieces) {
    for (std::size_t i = 0U; i < pieces.size(); ++i) {
        for (std::size_t k = i + 1U;
             (k < pieces.size()) && (pieces[i].kind == Kind::kDispatch) && (pieces[k].kind == Kind::kDispatch); ++k) {
            if ((writes_of(pieces[i]) & writes_of(pieces[k])) != 0U) {
                return true;
            }
        }
    }
    return false;
}

// Two cores are as the two queues of a device; a race is between two of them.
bool explored_race(const Pieces& pieces) {
    bool found = false;
    for (std::uint32_t first = 0U; first < kCores; ++first) {
        for (std::uint32_t second = first + 1U; second < kCores; ++second) {
            found = found || test::explore(scripts_of(pieces, first, second), 1U).race();
        }
    }
    return found;
}

}  // namespace pianola::vulkan
