// A device of two queues, and programs that are captured without declarations.
#pragma once

#include "tests/api/capture_support.h"
#include "tests/api/trace_support.h"

namespace pianola::test {

using host::BufferPtr;
using host::CapturedWorkload;
using host::HostRule;
using host::Program;
using host::WorkloadCapture;

inline constexpr std::uint32_t kBytes = 64U;
inline constexpr std::uint32_t kTurns = 6U;

class Discovery : public ::testing::Test {
  protected:
    [[nodiscard]] BufferPtr buffer() const { return device_->allocate(flat(kBytes)); }
    void write(const BufferPtr& to, std::uint32_t seed, std::uint32_t queue = 0U) const {
        device_->enqueue_write(queue, to, view(pattern(kBytes, seed)));
    }
    void add(const BufferPtr& from, const BufferPtr& to, int constant, std::uint32_t queue = 0U) const {
        Program program = constant_program(from, to, constant);
        device_->enqueue_program(queue, program);
    }
    void zeros(const BufferPtr& to) const { device_->enqueue_write(0U, to, view(Bytes(kBytes))); }
    void multiply(const BufferPtr& left, const BufferPtr& right, const BufferPtr& to) const {
        Program program{"product"};
        const host::KernelHandle kernel = program.add_kernel("binary", host::one_core({0U, 0U}));
        program.set_runtime_args(kernel, {0U, 0U},
                                 {host::BufferArgument{left, {}, 0U}, host::BufferArgument{right, {}, 0U},
                                  host::BufferArgument{to, {}, 0U}});
        program.set_common_runtime_args(kernel, {kBytes, 1U, 3U});
        device_->enqueue_program(0U, program);
    }
    // It computes input + constant.
    void expect_adds(const CapturedWorkload& workload, int constant, std::uint32_t steps) const {
        EXPECT_EQ(workload.steps, steps);
        expect_verified(workload, device_->spec());
        expect_model(workload, device_->spec(), kBytes,
                     [constant](const Bytes& input) { return plus(input, constant); });
    }

    std::shared_ptr<host::Device> device_{host::open_device(small_device(2U))};
};

}  // namespace pianola::test
