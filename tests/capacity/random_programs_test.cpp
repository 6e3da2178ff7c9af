// Random small programs of the tensor library, captured: at least 95 % of those that are programs at all are taken.
// What is refused says how to go on.
#include <array>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>

#include "pianola_host/geometry.h"
#include "pianola_host/operations.h"
#include "pianola_host/tensor_error.h"
#include "pianola_host/workload_capture.h"
#include "tests/api/support.h"

namespace pianola::test {
namespace {

using host::HostRule;
using tensor::Shape;
using tensor::Tensor;

constexpr std::uint32_t kSample = 60U;  // programs, where nobody says how many

// A chain of operations on tensors of one shape, in layouts that change.
class RandomProgram {
  public:
    RandomProgram(std::uint32_t seed, const Capacities& profile) : random_{seed} {
        static constexpr std::array<std::array<std::uint32_t, 2>, 7> kGrids{
            {{1U, 1U}, {2U, 1U}, {2U, 2U}, {4U, 2U}, {4U, 4U}, {8U, 4U}, {8U, 8U}}};
        const auto& grid = kGrids.at(below(kGrids.size()));
        shape_ = {std::array{1U, 7U, 16U, 33U, 64U, 128U}.at(below(6U)),
                  std::array{4U, 16U, 33U, 64U, 128U, 256U}.at(below(6U))};
        options_ = small_device(1U + (below(3U) / 2U), 1024U * 1024U);
        options_.spec.grid_columns = grid[0];
        options_.spec.grid_rows = grid[1];
        options_.spec.capacities = &profile;
    }

    // Throws what capturing it does.
    void capture() {
        const auto device = host::open_device(options_);
        // Where the host's own transfers go, as the pages say: one transfer each, whatever the grid.
        const tensor::TensorSpec in_dram{shape_, ElementType::kInt8, tensor::kDramInterleaved};
        const Tensor source = tensor::full(in_dram, 0, device);
        const Tensor target = tensor::full(in_dram, 0, device);
        const std::uint32_t operations = 1U + below(6U);
        const auto place = random_;
        run(source, target, operations);  // compiles
        host::WorkloadCapture capture{device};
        const auto declared = [this](const char* name) {
            return host::TensorDeclaration{name, ElementType::kInt8, shape_, 1.0F, 0};
        };
        capture.declare_input(source.buffer(), declared("in"));
        capture.declare_output(target.buffer(), declared("out"));
        const std::uint32_t transfers = options_.num_command_queues - 1U;
        const host::EventId written = device->create_event();
        for (std::uint32_t step = 0U; step < 2U; ++step) {
            capture.begin_step();
            device->enqueue_write(transfers, source.buffer(), view(pattern(source.buffer()->size_bytes(), step)));
            if (transfers != 0U) {
                device->record_event(transfers, written);
                device->wait_for_event(0U, written);
            }
            random_ = place;  // the same again
            run(source, target, operations);
            (void)device->enqueue_read(0U, target.buffer(), true);
        }
        (void)capture.end();
    }

  private:
    std::uint32_t below(std::size_t limit) { return static_cast<std::uint32_t>(random_() % limit); }

    tensor::MemoryConfig memory(const std::shared_ptr<host::Device>& device) {
        using host::Layout;
        const std::uint32_t kind = below(5U);
        if (kind < 2U) {
            return (kind == 0U) ? tensor::kDramInterleaved : tensor::l1_interleaved();
        }
        return tensor::sharded(
            shape_, host::all_cores(device->spec()),
            std::array{Layout::kHeightSharded, Layout::kWidthSharded, Layout::kBlockSharded}.at(kind - 2U),
            host::Memory::kL1);
    }

    void run(const Tensor& source, const Tensor& target, std::uint32_t operations) {
        Tensor value = source;
        for (std::uint32_t i = 0U; i < operations; ++i) {
            if (below(5U) < 3U) {
                value = tensor::to_memory_config(value, memory(source.device()));
            }
            const std::uint32_t operation = below(6U);
            value = (operation < 3U) ? tensor::binary(static_cast<tensor::Binary>(operation), value, value)
                                     : tensor::unary(static_cast<tensor::Unary>(operation - 3U), value);
        }
        tensor::copy(value, target);
    }

    std::mt19937 random_;
    Shape shape_;
    host::DeviceOptions options_;
};

// "accepted", what a capacity has refused, or why it is no program that a device runs.
std::string outcome_of(std::uint32_t seed, const Capacities& profile) {
    try {
        RandomProgram{seed, profile}.capture();
        return "accepted";
    } catch (const host::HostError& error) {
        const std::string text = error.what();
        if (error.rule() == HostRule::kCaptureLimit) {
            return "capacity: " + text.substr(0U, 60U);
        }
        if (error.rule() != HostRule::kCaptureRefused) {
            return std::string{"no program: "} + error.rule_id();
        }
        const std::size_t rule = text.find("workload: ") + 10U;
        return "capacity: " + text.substr(rule, text.find(' ', rule) - rule);
    } catch (const tensor::TensorError& error) {
        return std::string{"no program: "} + error.what();
    }
}

std::uint32_t programs() {
    const char* const asked = std::getenv("PIANOLA_RANDOM_PROGRAMS");
    return (asked != nullptr) ? static_cast<std::uint32_t>(std::strtoul(asked, nullptr, 10)) : kSample;
}

class RandomPrograms : public testing::TestWithParam<const Capacities*> {};

INSTANTIATE_TEST_SUITE_P(Profiles, RandomPrograms, testing::Values(&profiles::kDefault, &profiles::kHost),
                         [](const auto& instance) { return std::string{instance.param->name}; });

TEST_P(RandomPrograms, AreTaken) {
    std::map<std::string, std::uint32_t> outcomes;
    std::uint32_t refused = 0U;
    for (std::uint32_t seed = 0U; seed < programs(); ++seed) {
        const std::string outcome = outcome_of(seed, *GetParam());
        outcomes[outcome] += 1U;
        refused += (outcome.rfind("capacity", 0U) == 0U) ? 1U : 0U;
    }
    for (const auto& [outcome, count] : outcomes) {
        std::cout << count << ' ' << outcome << '\n';
    }
    const std::uint32_t accepted = outcomes["accepted"];
    EXPECT_GE(accepted, programs() / 2U);  // most of them are programs
    EXPECT_LE(refused * 20U, accepted + refused);
}

// 4x4 cores, each with a few columns of every row: refused by what a small ECU holds.
TEST(Refusals, NameNeedLimitAndRemedy) {
    for (const Capacities* profile : {&profiles::kSmallEcu, &profiles::kDefault}) {
        host::DeviceOptions options = small_device(1U, 256U * 1024U);
        options.spec.grid_columns = 8U;
        options.spec.grid_rows = 8U;
        options.spec.capacities = profile;
        const auto device = host::open_device(options);
        const Shape shape{64U, 64U};
        const tensor::MemoryConfig columns =
            tensor::sharded(shape, host::all_cores(device->spec()), host::Layout::kWidthSharded, host::Memory::kL1);
        const Tensor source = tensor::full({shape, ElementType::kInt8, tensor::kDramInterleaved}, 0, device);
        const Tensor target = tensor::full({shape, ElementType::kInt8, tensor::kDramInterleaved}, 0, device);
        host::WorkloadCapture capture{device};
        capture.declare_input(source.buffer(), {"in", ElementType::kInt8, shape, 1.0F, 0});
        capture.declare_output(target.buffer(), {"out", ElementType::kInt8, shape, 1.0F, 0});
        capture.begin_step();
        device->enqueue_write(0U, source.buffer(), view(pattern(std::size_t{64U} * 64U, 1U)));
        tensor::copy(tensor::unary(tensor::Unary::kRelu, tensor::to_memory_config(source, columns)), target);
        (void)device->enqueue_read(0U, target.buffer(), true);
        if (profile == &profiles::kDefault) {
            EXPECT_NO_THROW((void)capture.end());
        } else {
            expect_rule(HostRule::kCaptureRefused, "(found at least 65, limit 64)", [&capture] {
                try {
                    (void)capture.end();
                } catch (const host::HostError& error) {
                    const std::string text = error.what();
                    EXPECT_NE(text.find("CAP-INTERVALS"), std::string::npos) << text;
                    EXPECT_NE(text.find("profile default takes it, small_ecu does not"), std::string::npos) << text;
                    throw;
                }
            });
        }
    }
}

}  // namespace
}  // namespace pianola::test
