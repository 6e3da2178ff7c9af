// The proof of what the cores of one program touch, as the runtime does it.
#include <map>
#include <memory>

#include "capture_host/host/program/compile.h"
#include "hal/devices/refdev/host/refdev_target.h"
#include "pianola/interval_map.h"

namespace pianola::host {
namespace {

template <typename Visit>
void for_each_operand(const Program::State& program, const Visit& visit) {
    const auto look = [&visit](const Arguments& arguments) {
        for (const Argument& argument : arguments) {
            if (const auto* operand = std::get_if<BufferArgument>(&argument)) {
                visit(*operand);
            }
        }
    };
    for (const KernelEntry& kernel : program.kernels) {
        for (const auto& own : kernel.arguments) {
            look(own.second);
        }
        for (std::size_t core = 0U; core < cores_of(kernel.cores).size(); ++core) {
            look(kernel.common);
        }
    }
}

// Maps addresses as if an unused byte lay between any two buffers.
class SeparatedBuffers {
  public:
    explicit SeparatedBuffers(const Program::State& program) {
        std::map<std::uint32_t, std::uint32_t> bytes;  // of each run, by its address
        for_each_operand(program, [&bytes](const BufferArgument& operand) {
            const BufferPtr buffer = operand.buffer.lock();
            if (buffer != nullptr) {
                for (const AddressRange& run : buffer->runs()) {
                    bytes[run.address] = run.bytes;
                }
            }
        });
        std::uint32_t place = 0U;
        for (const auto& [address, size] : bytes) {
            places_[address] = place;
            place += size + 1U;
        }
    }

    [[nodiscard]] std::uint32_t operator()(std::uint32_t address) const {
        const auto after = places_.upper_bound(address);
        return (after == places_.begin()) ? address : (std::prev(after)->second + (address - std::prev(after)->first));
    }

  private:
    std::map<std::uint32_t, std::uint32_t> places_;  // by the address where the run lies
};

// Ranges as runtime/plan/cores.cpp keeps them; on a device of two queues also as runtime/plan/queues.cpp does, which
// does not distinguish cores. That proof keeps the ranges of a whole step, so half of them are left to the other
// programs.
class Ranges {
  public:
    explicit Ranges(const DeviceDescription& spec)
        : capacity_{spec.capacities->intervals},
          capacity_of_queue_{(spec.queue_count > 1U) ? (capacity_ / 2U) : capacity_} {}

    [[nodiscard]] bool touch(const Extent& extent, std::uint32_t address, std::uint32_t core) {
        const auto bytes = static_cast<std::uint32_t>(hull_bytes(extent));
        const bool writes = extent.access == Access::kWrite;
        const std::uint32_t own = core + 1U;
        const bool is_shared = !writes && (reads_.largest_tag(address, bytes, own) != 0U);
        return is_ok((writes ? writes_ : reads_).assign(address, bytes, is_shared ? kSeveral : own, capacity_)) &&
               is_ok((writes ? queue_writes_ : queue_reads_).assign(address, bytes, 1U, capacity_of_queue_));
    }

    void barrier() {
        reads_.clear();
        writes_.clear();
    }

  private:
    static constexpr std::uint32_t kSeveral = kMaxCores + 1U;  // tag of bytes that more than one core has read

    std::uint32_t capacity_;
    std::uint32_t capacity_of_queue_;
    IntervalMap reads_;
    IntervalMap writes_;
    IntervalMap queue_reads_;
    IntervalMap queue_writes_;
};

}  // namespace

bool surely_fits(const DeviceDescription& spec, const Program::State& program, std::uint64_t bytes) {
    std::uint64_t words = 1U;  // the end command
    for (const KernelEntry& kernel : program.kernels) {
        const std::uint64_t with_barrier = std::uint64_t{kernel_head_words()} + kernel.kernel->argument_words + 1U;
        words += with_barrier * cores_of(kernel.cores).size();
    }
    std::uint64_t operands = 0U;
    for_each_operand(program, [&operands](const BufferArgument& /*operand*/) { operands += 1U; });
    // A range that is added cuts another in two, at most; half of the ranges may be left to other programs.
    return ((4U * operands) <= spec.capacities->intervals) && ((words * sizeof(std::uint32_t)) <= bytes);
}

bool fits_proof(const DeviceDescription& spec, const Program::State& program, const Assembled& assembled) {
    const SeparatedBuffers separated{program};
    const auto ranges = std::make_unique<Ranges>(spec);
    bool fits = true;
    static_cast<void>(targets::for_each_command(refdev::target_of(spec).command_set(), assembled.words,
                                                [&](std::uint32_t /*word*/, const DecodedCommand& command) {
                                                    if (command.kind != CommandKind::kDispatch) {
                                                        ranges->barrier();
                                                        return;
                                                    }
                                                    for (const Extent& extent : command.extents.view()) {
                                                        fits = fits && ranges->touch(extent, separated(extent.address),
                                                                                     command.core);
                                                    }
                                                }));
    return fits;
}

}  // namespace pianola::host
