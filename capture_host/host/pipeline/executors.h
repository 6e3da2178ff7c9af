// The five executors of a pipeline, and the stages that those with two queues consist of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "pianola_host/pipeline.h"

namespace pianola::pipeline {

// The arguments of every executor. Memory configurations have been checked.
struct Parts {
    Model model;
    AnyDevice device;
    // The executor uses those that it needs; the others have any value.
    MemoryConfig dram_input;
    MemoryConfig l1_input;
    MemoryConfig dram_output;
    std::optional<MemoryConfig> l1_output;
};

[[nodiscard]] std::unique_ptr<Executor> make_executor(const PipelineConfig& config, const Parts& parts);

// A kind of work on one queue, and the event that says that its latest run has ended. run() enqueues the work and then
// records the event; nothing else can record it, so that an event is never recorded before its work.
class Stage {
  public:
    Stage(AnyDevice device, std::uint32_t queue)
        : device_{std::move(device)},
          queue_{queue},
          event_{call_on(device_, [](auto& each) { return each.create_event(); })} {}

    // `enqueue(queue)` puts all of the stage's work on the queue that it is given. If it throws, the event does
    // not change.
    template <typename Enqueue>
    auto run(const Enqueue& enqueue) {
        if constexpr (std::is_void_v<std::invoke_result_t<Enqueue, std::uint32_t>>) {
            enqueue(queue_);
            record();
        } else {
            auto result = enqueue(queue_);
            record();
            return result;
        }
    }

    // `queue` waits until the latest run has ended. A stage that has not run yet holds no queue.
    void hold(std::uint32_t queue) const {
        if (has_run_) {
            call_on(device_, [&](auto& each) { each.wait_for_event(queue, event_); });
        }
    }

  private:
    void record() {
        call_on(device_, [this](auto& each) { each.record_event(queue_, event_); });
        has_run_ = true;
    }

    AnyDevice device_;
    std::uint32_t queue_;
    host::EventId event_;
    bool has_run_{false};
};

}  // namespace pianola::pipeline
