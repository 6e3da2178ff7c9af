#include "capture_host/host/program/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bitset>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/costs/cost_models.h"
#include "hal/devices/refdev/device_spec.h"
#include "hal/devices/refdev/host/command_words.h"
#include "hal/devices/refdev/host/refdev_target.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "pianola/bytes.h"
#include "pianola/config.h"
#include "pianola_host/host_error.h"
#include "pianola_host/memory_holder.h"

namespace pianola::host {
namespace {

bool names(const std::vector<std::uint32_t>& list, std::uint32_t index) {
    return std::find(list.begin(), list.end(), index) != list.end();
}

using CoreSet = std::bitset<std::size_t{refdev::kMaxGridEdge} * refdev::kMaxGridEdge>;

// check_structure() has found that the cores lie in the grid.
CoreSet core_set(const KernelEntry& kernel) {
    CoreSet set;
    for (const CoreCoord core : cores_of(kernel.cores)) {
        set.set((std::size_t{core.y} * refdev::kMaxGridEdge) + core.x);
    }
    return set;
}

bool signals_for(const KernelEntry& signaller, const KernelEntry& waiter) {
    return std::any_of(waiter.waits.begin(), waiter.waits.end(),
                       [&signaller](std::uint32_t semaphore) { return names(signaller.signals, semaphore); });
}

void check_signalled(const Program::State& program) {
    for (std::size_t i = 0U; i < program.kernels.size(); ++i) {
        for (const std::uint32_t semaphore : program.kernels[i].waits) {
            const bool signalled =
                std::any_of(program.kernels.begin(), program.kernels.end(),
                            [semaphore](const KernelEntry& kernel) { return names(kernel.signals, semaphore); });
            if (!signalled && (program.semaphores.at(semaphore).initial == 0U)) {
                throw HostError{
                    HostRule::kProgramSemaphore,
                    fmt::format("kernel {} ({}) of '{}' waits for semaphore {}, which starts at 0 and which no "
                                "kernel signals: it would wait for ever; let a kernel signal it",
                                i, program.kernels[i].kernel->name, program.name, semaphore)};
            }
        }
    }
}

// Level of every kernel: a barrier separates two levels. Throws API-PROGRAM-SEMAPHORE.
std::vector<std::uint32_t> levels_of(const Program::State& program) {
    check_signalled(program);
    const std::size_t count = program.kernels.size();
    std::vector<std::uint32_t> levels(count, 0U);
    if (std::none_of(program.kernels.begin(), program.kernels.end(),
                     [](const KernelEntry& kernel) { return !kernel.waits.empty(); })) {
        return levels;
    }
    std::vector<CoreSet> cores;
    for (const KernelEntry& kernel : program.kernels) {
        cores.push_back(core_set(kernel));
    }
    // Longest paths; more rounds than kernels mean a cycle.
    for (std::size_t round = 0U; round <= count; ++round) {
        bool changed = false;
        for (std::size_t from = 0U; from < count; ++from) {
            for (std::size_t to = 0U; to < count; ++to) {
                const KernelEntry& first = program.kernels[from];
                const KernelEntry& second = program.kernels[to];
                std::uint32_t least = 0U;
                if (signals_for(first, second)) {
                    least = levels[from] + 1U;
                } else if ((from < to) && (cores[from] & cores[to]).any()) {
                    least = levels[from];
                }
                if (least > levels[to]) {
                    levels[to] = least;
                    changed = true;
                }
            }
        }
        if (!changed) {
            return levels;
        }
    }
    throw HostError{
        HostRule::kProgramSemaphore,
        fmt::format("the kernels of '{}' wait for each other in a circle, or one waits for a kernel that comes "
                    "after it on its own core; add the kernels that signal before those that wait",
                    program.name)};
}

// The command of one kernel on one core. Throws API-PROGRAM-ARGUMENTS, which names `site` and the argument, if the
// kernel does not accept the arguments.
std::vector<std::uint32_t> kernel_command_words(const DeviceDescription& spec, const refdev::Kernel& kernel,
                                                CoreCoord core, const std::vector<std::uint32_t>& arguments,
                                                const std::string& site) {
    ExtentList extents;
    const WordSpan words{arguments.data(), arguments.size()};
    refdev::ArgumentError error;
    if (!is_ok(kernel.describe(words, extents, error))) {
        throw HostError{HostRule::kProgramArguments,
                        fmt::format("{}: the kernel does not accept {} = {} (argument word {})", site, error.field,
                                    arguments.at(error.word), error.word)};
    }
    const refdev::CostModel& costs = refdev::costs_of(spec);
    const std::uint64_t cost_cycles = refdev::launch_cost(costs, kernel, words, extents);
    if (cost_cycles > refdev::kMaxKernelCycles) {
        throw HostError{HostRule::kProgramArguments,
                        fmt::format("{}: takes {} cycles, {} are admitted; make it smaller", site, cost_cycles,
                                    refdev::kMaxKernelCycles)};
    }
    return refdev::dispatch_words(core_index(spec, core), kernel.id, arguments, costs);
}

using CoreKey = std::pair<std::uint32_t, std::uint32_t>;

const Arguments& own_arguments(const KernelEntry& kernel, CoreCoord core) {
    static const Arguments kNone;
    const auto found = kernel.arguments.find(CoreKey{core.y, core.x});
    return (found == kernel.arguments.end()) ? kNone : found->second;
}

bool lies_on(const LocalMemory& memory, CoreCoord core) {
    const std::vector<CoreCoord> cores = cores_of(memory.cores);
    return std::find(cores.begin(), cores.end(), core) != cores.end();
}

// Which kernel on which core is being looked at, for messages.
struct Site {
    const Program::State& program;
    std::size_t kernel;
    CoreCoord core;

    [[nodiscard]] std::string text() const {
        return fmt::format("kernel {} ({}) of '{}' on core ({}, {})", kernel, program.kernels[kernel].kernel->name,
                           program.name, core.x, core.y);
    }
};

// Turns arguments into words.
class Resolver {
  public:
    Resolver(const DeviceDescription& spec, const MemoryHolder& device, Site site)
        : spec_{spec}, device_{device}, site_{site} {}

    std::uint32_t operator()(std::uint32_t value) const { return value; }
    std::uint32_t operator()(const BufferArgument& argument) const {
        const BufferPtr owned = argument.buffer.lock();
        if (owned == nullptr) {
            throw HostError{
                HostRule::kBufferFreed,
                fmt::format("{}: a buffer among its arguments has gone with its last owner; keep it while the "
                            "program is used, or set other arguments",
                            site_.text())};
        }
        device_.check_buffer(owned);
        const Buffer& buffer = *owned;
        std::uint32_t shard = 0U;
        if (argument.shard.has_value()) {
            shard = *argument.shard;
        } else if (buffer.shard_core(0U).has_value()) {
            const std::optional<std::uint32_t> own = buffer.shard_on(site_.core);
            if (!own.has_value()) {
                throw HostError{HostRule::kProgramArguments,
                                fmt::format("{}: the buffer has no shard on this core; name a shard, or run the kernel "
                                            "where the shards lie",
                                            site_.text())};
            }
            shard = *own;
        }
        return buffer.shard_address(shard) + argument.offset_bytes;
    }
    std::uint32_t operator()(const CircularBufferArgument& argument) const {
        return local(site_.program.circular_buffers, argument.circular_buffer.index, site_.core, "circular buffer") +
               argument.offset_bytes;
    }
    std::uint32_t operator()(const SemaphoreArgument& argument) const {
        return local(site_.program.semaphores, argument.semaphore.index, argument.core.value_or(site_.core),
                     "semaphore");
    }

  private:
    [[nodiscard]] std::uint32_t local(const std::vector<LocalMemory>& memories, std::uint32_t index, CoreCoord core,
                                      const char* what) const {
        if (index >= memories.size()) {
            throw HostError{HostRule::kProgramUnknown, fmt::format("{}: the program has no {} {}; use the handle that "
                                                                   "adding it gave",
                                                                   site_.text(), what, index)};
        }
        const LocalMemory& memory = memories[index];
        if (!memory.offset.has_value()) {
            throw HostError{HostRule::kBufferFreed,
                            fmt::format("{}: {} {} has been deallocated; resize it before the program runs again",
                                        site_.text(), what, index)};
        }
        if (!lies_on(memory, core)) {
            throw HostError{HostRule::kProgramArguments,
                            fmt::format("{}: {} {} does not lie on core ({}, {}); add it on that core", site_.text(),
                                        what, index, core.x, core.y)};
        }
        return core_l1_base(spec_, core) + *memory.offset;
    }

    const DeviceDescription& spec_;
    const MemoryHolder& device_;
    Site site_;
};

// Writes commands in sequence, with barriers where they are needed.
class CommandWriter {
  public:
    CommandWriter(const DeviceDescription& spec, const AddressCheck& is_allocated, Assembled& out)
        : spec_{spec}, is_allocated_{is_allocated}, out_{out} {}

    void command(const std::vector<std::uint32_t>& words, const CommandInfo& info, const std::string& site) {
        if (!walk_.next({words.data(), words.size()})) {
            throw HostError{HostRule::kProgramArguments,
                            fmt::format("{}: the device does not accept {}", site, walk_.error().field)};
        }
        const DecodedCommand& decoded = walk_.command();
        for (const Extent& extent : decoded.extents.view()) {
            if (!is_allocated_(extent.address, extent.size_bytes)) {
                throw HostError{
                    HostRule::kProgramExtent,
                    fmt::format("{}: {} is {} bytes at 0x{:08X}, which is not allocated memory of one core or of "
                                "DRAM; pass the address of a buffer that is large enough",
                                site, extent.field, extent.size_bytes, extent.address)};
            }
        }
        if (conflicts(decoded, info.core)) {
            barrier();
        }
        note(decoded, info.core);
        append(words, info);
    }

    void barrier() {
        if (segment_.empty()) {
            return;
        }
        segment_.clear();
        append(refdev::barrier_words(), CommandInfo{});
    }

  private:
    struct Touched {
        std::uint32_t core;
        RangeSet reads;
        RangeSet writes;
    };

    // True where another core touches the same bytes since the last barrier, and one of the two writes.
    [[nodiscard]] bool conflicts(const DecodedCommand& decoded, CoreCoord core) const {
        for (const Touched& touched : segment_) {
            if (touched.core == core_index(spec_, core)) {
                continue;
            }
            for (const Extent& extent : decoded.extents.view()) {
                const std::uint64_t end = std::uint64_t{extent.address} + extent.size_bytes;
                if (touched.writes.intersects(extent.address, end) ||
                    ((extent.access == Access::kWrite) && touched.reads.intersects(extent.address, end))) {
                    return true;
                }
            }
        }
        return false;
    }

    void note(const DecodedCommand& decoded, CoreCoord core) {
        const std::uint32_t index = core_index(spec_, core);
        auto touched = std::find_if(segment_.begin(), segment_.end(),
                                    [index](const Touched& candidate) { return candidate.core == index; });
        if (touched == segment_.end()) {
            segment_.push_back({index, {}, {}});
            touched = segment_.end() - 1;
        }
        for (const Extent& extent : decoded.extents.view()) {
            const std::uint64_t end = std::uint64_t{extent.address} + extent.size_bytes;
            (extent.access == Access::kWrite ? touched->writes : touched->reads).add(extent.address, end);
            (extent.access == Access::kWrite ? out_.writes : out_.reads).add(extent.address, end);
        }
    }

    void append(const std::vector<std::uint32_t>& words, CommandInfo info) {
        info.word = static_cast<std::uint32_t>(out_.words.size());
        out_.words.insert(out_.words.end(), words.begin(), words.end());
        out_.commands.push_back(info);
    }

    const DeviceDescription& spec_;
    const AddressCheck& is_allocated_;
    Assembled& out_;
    targets::TraceWalk walk_{refdev::target_of(spec_).command_set()};  // over the program's own commands
    std::vector<Touched> segment_;                                     // since the last barrier
};

void digest_word(Sha256& digest, std::uint64_t value) {
    std::array<std::uint8_t, sizeof(std::uint32_t)> bytes{};
    store_le32(bytes, 0U, static_cast<std::uint32_t>(value));
    digest.update(bytes);
}

void digest_cores(Sha256& digest, const CoreRangeSet& cores) {
    digest_word(digest, cores.size());
    for (const CoreRange& range : cores) {
        for (const std::uint32_t value : {range.first.x, range.first.y, range.last.x, range.last.y}) {
            digest_word(digest, value);
        }
    }
}

void digest_list(Sha256& digest, const std::vector<std::uint32_t>& list) {
    digest_word(digest, list.size());
    for (const std::uint32_t value : list) {
        digest_word(digest, value);
    }
}

// Semaphores start with their initial values in every run. Their counters exist where an argument names one.
void write_semaphores(const DeviceDescription& spec, const Program::State& program, CommandWriter& writer) {
    const refdev::Kernel* const setter = refdev::find_kernel(static_cast<std::uint32_t>(refdev::KernelId::kSemaphore));
    for (const LocalMemory& semaphore : program.semaphores) {
        if (!semaphore.offset.has_value()) {
            continue;
        }
        for (const CoreCoord core : cores_of(semaphore.cores)) {
            CommandInfo info;
            info.core = core;
            writer.command(
                kernel_command_words(spec, *setter, core,
                                     {core_l1_base(spec, core) + *semaphore.offset,
                                      static_cast<std::uint32_t>(refdev::SemaphoreOp::kSet), semaphore.initial},
                                     "semaphore"),
                info, "semaphore");
        }
    }
    writer.barrier();
}

}  // namespace

std::uint32_t kernel_head_words() noexcept {
    return refdev::kDispatchHeadWords;
}

std::uint32_t kernel_head_words(const DecodedCommand& command) noexcept {
    if (command.kernel_id == 0U) {
        return 0U;
    }
    return (command.kind == CommandKind::kDispatch) ? refdev::kDispatchHeadWords : refdev::kLaunchHeadWords;
}

void check_structure(const DeviceDescription& spec, const Program::State& program) {
    if (program.kernels.empty()) {
        throw HostError{HostRule::kProgramEmpty, fmt::format("program '{}' has no kernel; add one", program.name)};
    }
    for (const LocalMemory& memory : program.circular_buffers) {
        check_cores(spec, memory.cores, "a circular buffer");
    }
    for (const LocalMemory& memory : program.semaphores) {
        check_cores(spec, memory.cores, "a semaphore");
    }
    for (std::size_t i = 0U; i < program.kernels.size(); ++i) {
        const KernelEntry& kernel = program.kernels[i];
        check_cores(spec, kernel.cores, kernel.kernel->name);
        const std::vector<CoreCoord> cores = cores_of(kernel.cores);
        for (const auto& own : kernel.arguments) {
            const CoreCoord core{own.first.second, own.first.first};
            if (std::find(cores.begin(), cores.end(), core) == cores.end()) {
                throw HostError{HostRule::kProgramCores,
                                fmt::format("{} has runtime arguments, but the kernel does not run on this core",
                                            Site{program, i, core}.text())};
            }
        }
        for (const CoreCoord core : cores) {
            const std::size_t given = own_arguments(kernel, core).size() + kernel.common.size();
            if (given != kernel.kernel->argument_words) {
                throw HostError{
                    HostRule::kProgramArguments,
                    fmt::format("{}: {} argument words are needed, {} are given ({} of its own, {} in common)",
                                Site{program, i, core}.text(), kernel.kernel->argument_words, given,
                                given - kernel.common.size(), kernel.common.size())};
            }
        }
    }
    (void)levels_of(program);
}

Sha256Digest structure_digest(const Program::State& program) {
    Sha256 digest;
    digest_word(digest, program.kernels.size());
    for (const KernelEntry& kernel : program.kernels) {
        digest_word(digest, static_cast<std::uint32_t>(kernel.kernel->id));
        digest_cores(digest, kernel.cores);
        digest_word(digest, kernel.common.size());
        digest_word(digest, kernel.arguments.size());
        for (const auto& [core, arguments] : kernel.arguments) {
            digest_word(digest, core.first);
            digest_word(digest, core.second);
            digest_word(digest, arguments.size());
        }
        digest_list(digest, kernel.signals);
        digest_list(digest, kernel.waits);
    }
    for (const auto* memories : {&program.circular_buffers, &program.semaphores}) {
        digest_word(digest, memories->size());
        for (const LocalMemory& memory : *memories) {
            digest_cores(digest, memory.cores);
            digest_word(digest, memory.bytes);
            digest_word(digest, memory.initial);
        }
    }
    return digest.finish();
}

Assembled assemble(const DeviceDescription& spec, const Program::State& program, const MemoryHolder& device,
                   const AddressCheck& is_allocated) {
    Assembled assembled;
    assembled.name = program.name;
    CommandWriter writer{spec, is_allocated, assembled};
    write_semaphores(spec, program, writer);
    const std::vector<std::uint32_t> levels = levels_of(program);
    const std::uint32_t last = *std::max_element(levels.begin(), levels.end());
    for (std::uint32_t level = 0U; level <= last; ++level) {
        writer.barrier();
        for (std::size_t i = 0U; i < program.kernels.size(); ++i) {
            const KernelEntry& kernel = program.kernels[i];
            if (levels[i] != level) {
                continue;
            }
            for (const CoreCoord core : cores_of(kernel.cores)) {
                const Site site{program, i, core};
                const Resolver resolve{spec, device, site};
                std::vector<std::uint32_t> arguments;
                for (const Arguments* list : {&own_arguments(kernel, core), &kernel.common}) {
                    for (const Argument& argument : *list) {
                        arguments.push_back(std::visit(resolve, argument));
                    }
                }
                CommandInfo info;
                info.argument_word = kernel_head_words();
                info.argument_count = static_cast<std::uint32_t>(arguments.size());
                info.kernel = static_cast<std::uint32_t>(i);
                info.core = core;
                writer.command(kernel_command_words(spec, *kernel.kernel, core, arguments, site.text()), info,
                               site.text());
            }
        }
    }
    return assembled;
}

void TraceWords::append(const Assembled& program) {
    if (!programs_.empty()) {
        const std::vector<std::uint32_t> barrier = refdev::barrier_words();
        CommandInfo info;
        info.word = static_cast<std::uint32_t>(words_.size());
        info.program = static_cast<std::uint32_t>(programs_.size() - 1U);
        commands_.push_back(info);
        words_.insert(words_.end(), barrier.begin(), barrier.end());
    }
    for (CommandInfo command : program.commands) {
        command.word += static_cast<std::uint32_t>(words_.size());
        command.program = static_cast<std::uint32_t>(programs_.size());
        commands_.push_back(command);
    }
    words_.insert(words_.end(), program.words.begin(), program.words.end());
    programs_.push_back(program);
}

std::vector<std::uint32_t> TraceWords::finished() const {
    std::vector<std::uint32_t> words = words_;
    refdev::append(words, refdev::end_words());
    return words;
}

std::vector<TraceProgramInfo> program_infos(const TraceWords& words) {
    std::vector<TraceProgramInfo> infos;
    for (const Assembled& program : words.programs()) {
        infos.push_back({program.name, 0U});
    }
    for (const CommandInfo& command : words.commands()) {
        infos.at(command.program).command_count += 1U;
    }
    return infos;
}

}  // namespace pianola::host
