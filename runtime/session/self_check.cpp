// Checks of a device and its binary: self-test vectors, the scrub, and the confirmed start.
#include <cstring>

#include "pianola/session.h"

namespace pianola {

// One step with a vector's inputs, which must give its outputs.
Status Session::replay_vector(std::uint32_t index, MutableByteSpan scratch) noexcept {
    // Vectors follow each other, each all inputs and then all outputs; the plan has proved that they fill the segment.
    const ByteSpan vectors = loaded_.self_tests;
    const std::size_t vector_bytes = vectors.size() / loaded_.self_test_count;
    std::size_t offset = index * vector_bytes;
    std::array<ByteSpan, kMaxInputs> inputs{};
    for (std::uint32_t i = 0U; i < loaded_.plan.input_count; ++i) {
        inputs[i] = vectors.subspan(offset, loaded_.plan.inputs[i].bytes);
        offset += loaded_.plan.inputs[i].bytes;
    }
    std::array<MutableByteSpan, kMaxOutputs> outputs{};
    std::size_t used = 0U;
    for (std::uint32_t i = 0U; i < loaded_.plan.output_count; ++i) {
        outputs[i] = scratch.subspan(used, loaded_.plan.outputs[i].bytes);
        used += loaded_.plan.outputs[i].bytes;
    }
    const Status status = run(Span<const ByteSpan>{inputs.data(), loaded_.plan.input_count},
                              Span<const MutableByteSpan>{outputs.data(), loaded_.plan.output_count});
    if (!is_ok(status)) {
        return status;
    }
    if ((used != 0U) && (std::memcmp(scratch.data(), &vectors[offset], used) != 0)) {
        std::memset(scratch.data(), 0, used);
        return reseal(latch(Status::kIntegrity, FaultStage::kSelfTest));
    }
    return Status::kOk;
}

Status Session::self_test(std::uint32_t index, MutableByteSpan scratch) noexcept {
    const Status ready = check_idle();
    if (!is_ok(ready)) {
        return ready;
    }
    if ((index >= loaded_.self_test_count) || (scratch.size() < output_bytes())) {
        return Status::kInvalidArgument;
    }
    return replay_vectors(index, index + 1U, scratch);
}

Status Session::self_test(MutableByteSpan scratch) noexcept {
    const Status ready = check_idle();
    if (!is_ok(ready)) {
        return ready;
    }
    const std::uint32_t count = loaded_.self_test_count;
    if (count == 0U) {
        return Status::kOk;
    }
    if (scratch.size() < output_bytes()) {
        return Status::kInvalidArgument;
    }
    const Status status = replay_vectors(0U, count, scratch);
    running_.is_confirmed = running_.is_confirmed || is_ok(status);
    return is_ok(status) ? reseal(status) : status;
}

Status Session::scrub() noexcept {
    const Status ready = check(running_.state != State::kEmpty);
    if (!is_ok(ready)) {
        return ready;
    }
    enter();
    const Status compared = compare_constants(kScrubSliceBytes, running_.background);
    return reseal((compared == Status::kPending) ? Status::kOk : compared);
}

std::uint32_t Session::scrub_calls() const noexcept {
    return (is_loaded() && is_whole()) ? pianola::scrub_calls(loaded_.plan.constants) : 0U;
}

Status Session::confirm_start() noexcept {
    const Status ready = check_idle();
    if (!is_ok(ready)) {
        return ready;
    }
    if (!running_.is_confirmed) {
        return Status::kInvalidState;
    }
    enter();
    std::uint32_t lowest = UINT32_MAX;  // until the platform gives its version, nothing is raised
    const Status read = platform_.lowest_security_version(lowest);
    const std::uint32_t version = loaded_.security_version;
    const Status raised = (is_ok(read) && (version > lowest)) ? platform_.raise_security_version(version) : read;
    call_ = 0U;
    return raised;
}

}  // namespace pianola
