// Stage: a kind of work on one queue, and the event that says that its latest run has ended.
//
// Every executor with two queues consists of stages. run() enqueues the work and then records the event; nothing else
// can record it, so that an event is never recorded before its work.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "pianola_host/tensor.h"

namespace pianola::pipeline {

class Stage {
  public:
    Stage(tensor::AnyDevice device, std::uint32_t queue)
        : device_{std::move(device)},
          queue_{queue},
          event_{tensor::call_on(device_, [](auto& each) { return each.create_event(); })} {}

    // `enqueue(queue)` puts all of the stage's work on the queue that it is given. Where it throws, the event stays as
    // it was.
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
            tensor::call_on(device_, [&](auto& each) { each.wait_for_event(queue, event_); });
        }
    }

  private:
    void record() {
        tensor::call_on(device_, [this](auto& each) { each.record_event(queue_, event_); });
        has_run_ = true;
    }

    tensor::AnyDevice device_;
    std::uint32_t queue_;
    host::EventId event_;
    bool has_run_{false};
};

}  // namespace pianola::pipeline
