// Workers: threads that share one piece of work.
#pragma once

#include <cstddef>
#include <system_error>
#include <thread>
#include <vector>

namespace pianola {

// Its destructor waits until every thread has ended.
class Workers {
  public:
    Workers() = default;
    ~Workers() {
        for (std::thread& thread : threads_) {
            thread.join();
        }
    }
    Workers(const Workers&) = delete;
    Workers& operator=(const Workers&) = delete;

    // For `count` threads with the caller's own, which works too: calls `work`, which must not throw, in the others, or
    // in fewer where the system gives no more.
    template <typename Work>
    void start(std::size_t count, const Work& work) {
        threads_.reserve(count);
        try {
            while ((threads_.size() + 1U) < count) {
                threads_.emplace_back(work);
            }
        } catch (const std::system_error&) {
            return;
        }
    }

  private:
    std::vector<std::thread> threads_;
};

}  // namespace pianola
