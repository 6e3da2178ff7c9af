// Stage: a kind of work on one queue, and the event that says that its latest run has ended.
//
// Place in the whole: what every executor with two queues is made of. run() enqueues the work and then records the
// event; nothing else can record it, so that an event can never be recorded in front of what it stands for. Host only.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "capture_host/api/device.h"

namespace pianola::pipeline {

class Stage {
  public:
    Stage(std::shared_ptr<host::Device> device, std::uint32_t queue)
        : device_{std::move(device)}, queue_{queue}, event_{device_->create_event()} {}

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

    // `queue` does not get on before the latest run has ended. A stage that has not run yet holds nobody.
    void hold(std::uint32_t queue) const {
        if (has_run_) {
            device_->wait_for_event(queue, event_);
        }
    }

  private:
    void record() {
        device_->record_event(queue_, event_);
        has_run_ = true;
    }

    std::shared_ptr<host::Device> device_;
    std::uint32_t queue_;
    host::EventId event_;
    bool has_run_{false};
};

}  // namespace pianola::pipeline
