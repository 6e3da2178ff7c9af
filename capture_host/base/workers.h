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

    // Calls `work` in up to `count` - 1 threads: fewer if the system starts no more. The caller's own thread is the
    // remaining one. `work` must not throw.
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
