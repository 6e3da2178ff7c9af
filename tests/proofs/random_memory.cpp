#include "tests/proofs/random_memory.h"

namespace pianola::test {
namespace {

constexpr std::uint32_t kMaxBytes = 4U;  // of a tensor, and of a command's operand
constexpr std::uint32_t kTensorSpace = 8U;

std::vector<ByteRange> random_tensors(Random& random, std::uint32_t area) {
    std::vector<ByteRange> tensors(1U + random.below(2U));
    for (std::uint32_t i = 0U; i < tensors.size(); ++i) {
        const std::uint32_t gap = random.below(kTensorSpace - kMaxBytes);
        tensors.at(i) = {area + (i * kTensorSpace) + gap, 1U + random.below(kMaxBytes)};
    }
    return tensors;
}

std::uint64_t mask_of(const std::vector<ByteRange>& ranges) {
    std::uint64_t mask = 0U;
    for (const ByteRange& range : ranges) {
        mask |= range.mask();
    }
    return mask;
}

SmallStep::Kind random_kind(Random& random) {
    const std::uint32_t choice = random.below(16U);
    if (choice < 2U) {
        return SmallStep::Kind::kLaunch;
    }
    if (choice < 5U) {
        return SmallStep::Kind::kDispatch;
    }
    return (choice < 9U) ? SmallStep::Kind::kFill : SmallStep::Kind::kCopy;
}

// A command that fills `target` from bytes that may be read; with a value where a few tries find none.
SmallStep random_step(Random& random, ByteRange target, std::uint64_t readable) {
    SmallStep step{random_kind(random), target, 0U, random.byte(), random.below(kSmallCores)};
    for (int tries = 0; tries < 12; ++tries) {
        const ByteRange source{random.below((kSmallMemoryBytes - target.count) + 1U), target.count};
        const bool apart = (source.mask() & target.mask()) == 0U;
        if (apart && ((source.mask() & ~readable) == 0U)) {
            step.source = source.first;
            return step;
        }
    }
    step.kind = SmallStep::Kind::kFill;
    return step;
}

ByteRange random_target(Random& random, bool outputs_too) {
    const std::uint32_t count = 1U + random.below(kMaxBytes);
    const bool output = outputs_too && random.one_in(3U);
    return {(output ? kOutputFirst : kActivationFirst) + random.below((kAreaBytes - count) + 1U), count};
}

}  // namespace

SmallCase random_memory(Random& random, bool roles) {
    SmallCase small;
    small.inputs = random_tensors(random, kInputFirst);
    small.outputs = random_tensors(random, kOutputFirst);
    small.traces.resize(1U + random.below(3U));
    small.in_flight = 1U + random.below(2U);
    const std::uint64_t inputs = mask_of(small.inputs);
    const std::uint64_t outputs = ByteRange{kOutputFirst, kAreaBytes}.mask();
    std::uint64_t written = ByteRange{kWeightsFirst, kWeightsBytes}.mask() | inputs;
    const std::size_t last = small.traces.size() - 1U;
    for (std::size_t i = 0U; i <= last; ++i) {
        const std::uint64_t hidden =
            roles ? (((i == 0U) ? 0U : inputs) | ((i == last) ? 0U : outputs)) : std::uint64_t{0U};
        const std::uint32_t commands = 1U + random.below(3U);
        for (std::uint32_t c = 0U; c < commands; ++c) {
            const ByteRange target = random_target(random, (i == last) || !roles);
            small.traces.at(i).push_back(random_step(random, target, written & ~hidden));
            written |= target.mask();
        }
    }
    for (const ByteRange& output : small.outputs) {
        const std::uint64_t hidden = (roles && (last > 0U)) ? inputs : 0U;
        small.traces.back().push_back(random_step(random, output, written & ~hidden));
        written |= output.mask();
    }
    return small;
}

}  // namespace pianola::test
