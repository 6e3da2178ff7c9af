#include "capture_host/host/pipeline/captured_model.h"

#include <fmt/format.h>

#include <utility>

#include "capture_host/base/interrupt.h"
#include "pianola_host/pipeline_error.h"

namespace pianola::pipeline {
namespace {

constexpr std::uint32_t kOperationQueue = 0U;

// Ends a capture that failed, and gives up what it recorded. What led here is more interesting than what goes wrong
// now.
void abandon(const AnyDevice& device, host::TraceId trace) noexcept {
    const interrupt::Hold hold;
    try {
        call_on(device, [trace](auto& each) {
            if (each.is_capturing(kOperationQueue)) {
                each.end_trace_capture(kOperationQueue, trace);
                each.release_trace(trace);
            }
        });
    } catch (...) {
        return;
    }
}

}  // namespace

CapturedModel::CapturedModel(AnyDevice device, const std::function<Outputs()>& body)
    : device_{std::move(device)},
      trace_{call_on(device_, [](auto& each) { return each.begin_trace_capture(kOperationQueue); })} {
    try {
        outputs_ = body();
        call_on(device_, [this](auto& each) { each.end_trace_capture(kOperationQueue, trace_); });
    } catch (...) {
        abandon(device_, trace_);
        throw;
    }
}

CapturedModel::~CapturedModel() {
    const interrupt::Hold hold;
    try {
        call_on(device_, [this](auto& each) {
            if (each.is_open()) {
                each.release_trace(trace_);
            }
        });
    } catch (...) {
        // The device has failed: there is nothing left to release.
        return;
    }
}

void CapturedModel::execute() const {
    call_on(device_, [this](auto& each) { each.execute_trace(kOperationQueue, trace_); });
}

PersistentInput capture_with_input(const AnyDevice& device, const Tensor& input, const Model& run,
                                   const Finish& finish) {
    const std::uint32_t captured_address = input.buffer_address();
    PersistentInput persistent;
    persistent.captured = std::make_unique<CapturedModel>(device, [&] {
        const Outputs outputs = run(input);
        // Inside the capture, where memory that the trace uses can still be allocated.
        persistent.input = input.is_allocated() ? input : Tensor::on_device(input.spec(), device);
        if (persistent.input->buffer_address() != captured_address) {
            throw PipelineError{
                PipelineRule::kInputAddress,
                fmt::format(
                    "the model's input was captured at {:#x}, and its memory is in use when the model has ended: it "
                    "would lie at {:#x}. Have the model deallocate what it allocated behind its input, or keep its "
                    "input",
                    captured_address, persistent.input->buffer_address())};
        }
        return finish ? finish(outputs) : outputs;
    });
    return persistent;
}

}  // namespace pianola::pipeline
