// OpWriter: writes a program's operations, each queue behind what was last done on the other one.
//
// What the generators share (tests/streams).
#pragma once

#include "tests/streams/program.h"
#include "tests/support/random.h"

namespace pianola::streams {

class OpWriter {
  public:
    explicit OpWriter(std::uint32_t seed) : random_{seed} {}

  protected:
    Launch random_launch(std::uint32_t left, std::uint32_t right) {
        Launch launch;
        launch.code = static_cast<Code>(random_.below(6U));
        launch.left = left;
        launch.right = right;
        launch.constant = static_cast<int>(random_.below(9U)) - 4;
        return launch;
    }

    std::uint32_t allocate() {
        made_.ops.push_back({});
        made_.ops.back().kind = Kind::kAllocate;
        made_.ops.back().object = ++buffers_;
        return buffers_;
    }

    // Behind what was last done on the other queue.
    Op& op(Kind kind, std::uint32_t queue, std::uint32_t object) {
        const bool is_queued =
            (kind == Kind::kWrite) || (kind == Kind::kRead) || (kind == Kind::kRun) || (kind == Kind::kExecuteTrace);
        if (is_queued && (queue != queue_)) {
            if (host_waits_) {
                append(Kind::kSynchronise, 0U, 0U);
            } else {
                append(Kind::kRecord, queue_, queue_);
                append(Kind::kWait, queue, queue_);
            }
            queue_ = queue;
        }
        return append(kind, queue, object);
    }

    Op& append(Kind kind, std::uint32_t queue, std::uint32_t object) {
        Op made;
        made.kind = kind;
        made.queue = queue;
        made.object = object;
        made_.ops.push_back(made);
        return made_.ops.back();
    }

    test::Random random_;
    Program made_;
    bool host_waits_{false};  // instead of events

  private:
    std::uint32_t buffers_{0U};
    std::uint32_t queue_{0U};  // that was last used
};

[[nodiscard]] Program make_loop(std::uint32_t seed);
[[nodiscard]] Program make_straight(std::uint32_t seed);

}  // namespace pianola::streams
