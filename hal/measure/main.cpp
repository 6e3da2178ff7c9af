// The measuring image: what a trace binary costs this board's cores, launch by launch.
//
// Order, binary and inputs lie in the board's memory (order.h); nothing of a binary is compiled in. The device works on
// the ECU's core, which executes the same code as a device core would. Each phase - load, start, steps, stop - runs
// between the markers, and its services are printed when it has ended, so that printing is in none. `pianola measure`
// starts this image and reads what it prints; docs/guide/measure.md defines every line.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "hal/boards/common/board.h"
#include "hal/boards/common/semihosting.h"
#include "hal/boards/common/shared_memory.h"
#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/costs/cost_models.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/measure/bench.h"
#include "hal/measure/counter.h"
#include "hal/measure/order.h"
#include "pianola/development_config.h"
#include "pianola/envelope.h"
#include "pianola/image.h"

// Memory of the board that holds no section of any image: memory.ld.
// NOLINTBEGIN(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
extern "C" std::uint8_t __ram_start;
extern "C" std::uint8_t __ram_end;
// NOLINTEND(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032

namespace {

namespace board = pianola::board;
namespace measure = pianola::measure;
namespace refdev = pianola::refdev;
namespace semihosting = pianola::semihosting;
using pianola::ByteSpan;
using pianola::MutableByteSpan;
using pianola::Session;
using pianola::Status;

// As `pianola run` ends for the same reasons.
enum ExitCode : std::int32_t { kDone = 0, kWrongOrder = 2, kRefused = 3, kFault = 4, kNoRoom = 5 };

constexpr std::uint32_t kAlignment = 1024U;  // of the device's memories; a multiple of everything that is aligned
constexpr std::uint32_t kMaxServices = 65536U;

void print_line(const char* word, const char* text) noexcept {
    semihosting::print(word);
    semihosting::print(" ");
    semihosting::print(text);
    semihosting::print("\n");
}

void print_line(const char* word, std::uint64_t number) noexcept {
    semihosting::print(word);
    semihosting::print(" ");
    semihosting::print_number(number);
    semihosting::print("\n");
}

// The board's memory, handed out from its start on.
class Ram {
  public:
    Ram() noexcept {
        // In C++ two symbols are two objects whose distance is undefined, so it is computed from integers.
        // NOLINTBEGIN(cppcoreguidelines-pro-type-reinterpret-cast): DEV-032
        const std::size_t size_bytes =
            reinterpret_cast<std::uintptr_t>(&__ram_end) - reinterpret_cast<std::uintptr_t>(&__ram_start);
        // NOLINTEND(cppcoreguidelines-pro-type-reinterpret-cast): DEV-032
        free_ = MutableByteSpan{&__ram_start, size_bytes};
    }

    // Empty if there is not as much; what follows begins at a multiple of `alignment`.
    [[nodiscard]] MutableByteSpan take(std::size_t size_bytes, std::size_t alignment) noexcept {
        const std::size_t taken = ((size_bytes + (alignment - 1U)) / alignment) * alignment;
        if ((taken < size_bytes) || (taken > free_.size())) {
            return MutableByteSpan{};
        }
        const MutableByteSpan bytes = free_.subspan(0U, size_bytes);
        free_ = free_.subspan(taken, free_.size() - taken);
        return bytes;
    }
    [[nodiscard]] std::size_t left() const noexcept { return free_.size(); }

  private:
    MutableByteSpan free_;
};

struct Work {
    measure::Order order{};
    ByteSpan file;
    ByteSpan inputs;  // of one step
    MutableByteSpan outputs;
    refdev::DeviceSpec spec;
    bool uses_queues{false};  // several
    measure::DeviceMemories memories;
    MutableByteSpan services;
};

[[nodiscard]] bool is_counted_outside(const Work& work) noexcept {
    return (work.order.flags & measure::kCountedOutside) != 0U;
}

void print_count(const Work& work, std::uint32_t count) noexcept {
    if (is_counted_outside(work)) {
        semihosting::print(" -");
    } else {
        semihosting::print(" ");
        semihosting::print_number(count);
    }
}

// Of a launch, its kernel's name.
[[nodiscard]] const char* command_name(std::uint8_t opcode, std::uint32_t kernel_id) noexcept {
    switch (static_cast<refdev::Opcode>(opcode)) {
        case refdev::Opcode::kLaunch:
        case refdev::Opcode::kDispatch: {
            const refdev::Kernel* const kernel = refdev::find_kernel(kernel_id);
            return (kernel == nullptr) ? "launch" : kernel->name;
        }
        case refdev::Opcode::kCopy:
            return "copy";
        case refdev::Opcode::kFill:
            return "fill";
        case refdev::Opcode::kBarrier:
            return "barrier";
        case refdev::Opcode::kEnd:
            return "end";
        case refdev::Opcode::kWrite:
            return "write";
        case refdev::Opcode::kRead:
            return "read";
        case refdev::Opcode::kReplay:
            return "replay";
        case refdev::Opcode::kRecordEvent:
            return "record";
        case refdev::Opcode::kWaitEvent:
            return "wait";
        case refdev::Opcode::kNotify:
            return "notify";
        case refdev::Opcode::kInvalid:
        default:
            return "-";
    }
}

void print_services(const Work& work, const measure::Services& services, std::uint32_t rest) noexcept {
    for (std::uint32_t i = 0U; i < services.count(); ++i) {
        const measure::Service service = services.at(i);
        semihosting::print("service");
        print_count(work, service.session);
        const std::uint32_t queues = work.uses_queues ? pianola::kMaxQueues : 1U;
        for (std::uint32_t queue = 0U; queue < queues; ++queue) {
            print_count(work, service.device[queue]);
            semihosting::print(" ");
            semihosting::print(command_name(service.opcodes[queue], service.kernels[queue]));
        }
        semihosting::print("\n");
    }
    semihosting::print("end");
    print_count(work, rest);
    semihosting::print("\n");
}

[[nodiscard]] ExitCode refuse(const pianola::Verdict& verdict) noexcept {
    semihosting::print("refused ");
    semihosting::print(pianola::rule_id(verdict.rule));
    print_line("", verdict.file_offset);
    return kRefused;
}

[[nodiscard]] ExitCode give_up(const char* why) noexcept {
    print_line("error", why);
    return kWrongOrder;
}

[[nodiscard]] ExitCode need(const char* what, std::uint64_t needed_bytes, const Ram& ram) noexcept {
    semihosting::print("room ");
    semihosting::print(what);
    semihosting::print(" ");
    semihosting::print_number(needed_bytes);
    print_line("", ram.left());
    return kNoRoom;
}

[[nodiscard]] ExitCode read_order(Ram& ram, Work& work) noexcept {
    const MutableByteSpan head = ram.take(measure::kOrderBytes, pianola::kFileAlignmentBytes);
    if (head.empty()) {
        return need("order", measure::kOrderBytes, ram);
    }
    std::memcpy(&work.order, head.data(), sizeof(work.order));
    const measure::Order& order = work.order;
    if ((order.magic != measure::kOrderMagic) || (order.version != measure::kOrderVersion) || (order.steps == 0U)) {
        return give_up("no order of this version in front of the binary");
    }
    work.file = ram.take(order.file_bytes, pianola::kFileAlignmentBytes);
    if (work.file.size() != order.file_bytes) {
        return need("binary", order.file_bytes, ram);
    }
    work.inputs = ram.take(order.input_bytes, pianola::kFileAlignmentBytes);
    if (work.inputs.size() != order.input_bytes) {
        return need("inputs", order.input_bytes, ram);
    }
    return kDone;
}

[[nodiscard]] std::uint32_t bytes_of(const pianola::Image& image, bool is_input, std::uint32_t index) noexcept {
    const pianola::TensorView tensor = image.tensor(is_input, index);
    std::uint32_t bytes = 0U;
    for (std::uint32_t i = 0U; i < tensor.buffer_count; ++i) {
        bytes += image.buffer(tensor.buffer + i).size_bytes;
    }
    return bytes;
}

// The device that the binary was captured for. The session compares all of it once more.
[[nodiscard]] bool take_spec(const pianola::TargetView& target, refdev::DeviceSpec& spec) noexcept {
    spec.dram_base = target.dram_base;
    spec.dram_bytes = target.dram_bytes;
    spec.l1_base = target.l1_base;
    spec.l1_bytes = target.l1_bytes;
    spec.file_base = target.file_base;
    spec.file_bytes = target.file_bytes;
    spec.trace_region_bytes = target.trace_region_bytes;
    spec.clock_khz = target.clock_khz;
    spec.core_khz = target.core_khz;
    spec.millicycles_per_instruction = target.millicycles_per_instruction;
    spec.queue_count = target.queue_count;
    spec.grid_columns = target.grid_columns;
    spec.grid_rows = target.grid_rows;
    spec.dram_banks = target.dram_banks;
    spec.cost_model = refdev::find_cost_model(target.cost_model);
    return (spec.cost_model != nullptr) && (target.queue_count <= pianola::kMaxQueues) &&
           (target.trace_region_bytes <= target.dram_bytes);
}

[[nodiscard]] bool uses_several_queues(const pianola::Image& image) noexcept {
    bool found = false;
    for (std::uint32_t script = 0U; script < image.script_count(); ++script) {
        for (std::uint32_t i = 0U; i < image.script(script).command_count; ++i) {
            found = (image.script_command(script, i).queue != 0U) || found;
        }
    }
    return found;
}

[[nodiscard]] ExitCode read_file(Ram& ram, pianola::PlanWorkspace& workspace, pianola::Verdict& verdict,
                                 Work& work) noexcept {
    pianola::Envelope envelope;
    pianola::Image& image = workspace.image;
    if (!is_ok(pianola::parse_envelope(work.file, envelope, verdict)) ||
        !is_ok(pianola::authenticate(work.file, envelope, pianola::kDevelopmentTrust, verdict)) ||
        !is_ok(pianola::open_image(work.file, envelope, pianola::kCapacities, image, verdict))) {
        return refuse(verdict);
    }
    if (!take_spec(image.target(), work.spec)) {
        return give_up("the binary's device is none that this image can be");
    }
    work.uses_queues = uses_several_queues(image);
    std::size_t output_bytes = 0U;
    for (std::uint32_t i = 0U; i < image.output_count(); ++i) {
        output_bytes += bytes_of(image, false, i);
    }
    work.outputs = ram.take(output_bytes, pianola::kFileAlignmentBytes);
    const std::size_t to_boundary = ram.left() % kAlignment;
    static_cast<void>(ram.take(to_boundary, 1U));
    work.memories.l1 = ram.take(work.spec.l1_bytes, kAlignment);
    if (work.memories.l1.size() != work.spec.l1_bytes) {
        return need("l1_bytes", work.spec.l1_bytes, ram);
    }
    work.memories.dram = ram.take(work.spec.dram_bytes, kAlignment);
    if (work.memories.dram.size() != work.spec.dram_bytes) {
        return need("dram_bytes", work.spec.dram_bytes, ram);
    }
    const std::size_t service_bytes = std::min(ram.left(), std::size_t{kMaxServices} * sizeof(measure::Service));
    work.services = ram.take(service_bytes, 1U);
    return kDone;
}

struct Bench {
    explicit Bench(const Work& given) noexcept
        : work{given},
          link{given.spec, given.memories, board::shared_state(), given.uses_queues},
          device{given.spec, board::shared_state(), link},
          session{device, platform, command_set, config} {
        link.services().use(given.services);
    }

    const Work& work;
    measure::CountedLink link;
    measure::PatientPlatform platform;
    board::BoardDevice device;
    refdev::RefdevCommandSet command_set{*work.spec.cost_model};
    pianola::SessionConfig config{pianola::kDevelopmentTrust, pianola::Release::kAtCompletion};
    Session session;
    std::array<ByteSpan, pianola::kMaxInputs> inputs{};
    std::array<MutableByteSpan, pianola::kMaxOutputs> outputs{};
    bool has_views{false};
};

// Runs `call` between the markers, and prints what it took.
template <typename Call>
[[nodiscard]] ExitCode run_phase(Bench& bench, const char* name, const Call& call) noexcept {
    bench.link.begin();
    const Status status = call();
    const std::uint32_t rest = bench.link.end();
    if (!bench.link.services().are_whole()) {
        return need("services", std::uint64_t{bench.link.services().count()} * sizeof(measure::Service), Ram{});
    }
    print_line("phase", name);
    print_services(bench.work, bench.link.services(), rest);
    if (!is_ok(status) && (status != Status::kRefused)) {
        const pianola::FaultRecord& fault = bench.session.fault();
        semihosting::print("fault ");
        semihosting::print_number(static_cast<std::uint32_t>(fault.status));
        semihosting::print(" ");
        semihosting::print_number(static_cast<std::uint32_t>(fault.stage));
        print_line("", fault.command);
        return kFault;
    }
    return kDone;
}

// Zeros where the order has no inputs.
[[nodiscard]] bool bind_tensors(Bench& bench, Ram& ram) noexcept {
    const pianola::Plan& plan = bench.session.plan();
    std::size_t at = 0U;
    for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
        bench.inputs[i] = bench.work.inputs.subspan(at, plan.inputs[i].bytes);
        if (bench.work.inputs.empty()) {
            const MutableByteSpan zeros = ram.take(plan.inputs[i].bytes, pianola::kFileAlignmentBytes);
            std::fill(zeros.begin(), zeros.end(), std::uint8_t{0U});
            bench.inputs[i] = zeros;
        }
        at += plan.inputs[i].bytes;
        if (bench.inputs[i].size() != plan.inputs[i].bytes) {
            return false;
        }
    }
    const bool are_inputs_whole = bench.work.inputs.empty() || (at == bench.work.inputs.size());
    at = 0U;
    for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
        bench.outputs[i] = bench.work.outputs.subspan(at, plan.outputs[i].bytes);
        at += plan.outputs[i].bytes;
    }
    return are_inputs_whole;
}

[[nodiscard]] pianola::Span<const ByteSpan> inputs_of(const Bench& bench) noexcept {
    return {bench.inputs.data(), bench.session.plan().input_count};
}

[[nodiscard]] pianola::Span<const MutableByteSpan> outputs_of(const Bench& bench) noexcept {
    return {bench.outputs.data(), bench.session.plan().output_count};
}

[[nodiscard]] Status write_views(Bench& bench) noexcept {
    Status status = Status::kOk;
    for (std::uint32_t i = 0U; (i < bench.session.plan().input_count) && is_ok(status); ++i) {
        MutableByteSpan view;
        status = bench.session.input_view(i, view);
        std::copy_n(bench.inputs[i].begin(), std::min(view.size(), bench.inputs[i].size()), view.begin());
    }
    return status;
}

[[nodiscard]] ExitCode run_step(Bench& bench) noexcept {
    if (bench.has_views && !is_ok(write_views(bench))) {
        return give_up("views are refused");
    }
    return run_phase(bench, "step", [&bench]() noexcept {
        Session& session = bench.session;
        const Status submitted =
            bench.has_views ? session.submit() : session.submit(inputs_of(bench), outputs_of(bench));
        return is_ok(submitted) ? session.wait() : submitted;
    });
}

[[nodiscard]] ExitCode run_steps(Bench& bench) noexcept {
    const pianola::Plan& plan = bench.session.plan();
    const bool pipelined = plan.is_pipelined;
    ExitCode code = kDone;
    if (plan.prologue.count != 0U) {
        code = run_phase(bench, "start", [&bench, pipelined]() noexcept {
            const Status started = bench.session.start(pipelined ? inputs_of(bench) : pianola::Span<const ByteSpan>{});
            return is_ok(started) ? bench.session.wait() : started;
        });
    }
    for (std::uint32_t step = 0U; (step < bench.work.order.steps) && (code == kDone); ++step) {
        code = run_step(bench);
    }
    if ((code == kDone) && (plan.epilogue.count != 0U)) {
        code = run_phase(bench, "stop", [&bench, pipelined]() noexcept {
            const Status stopped =
                bench.session.stop(pipelined ? outputs_of(bench) : pianola::Span<const MutableByteSpan>{});
            return is_ok(stopped) ? bench.session.wait() : stopped;
        });
    }
    return code;
}

[[nodiscard]] ExitCode load(Bench& bench, pianola::PlanWorkspace& workspace, pianola::Verdict& verdict) noexcept {
    bool is_refused = false;
    const ExitCode code = run_phase(bench, "load", [&]() noexcept {
        const Status status = bench.session.load(bench.work.file, workspace, verdict);
        is_refused = status == Status::kRefused;
        return status;
    });
    return is_refused ? refuse(verdict) : code;
}

void print_head(const Work& work) noexcept {
    print_line("pianola-measure", std::uint64_t{measure::kOrderVersion});
    print_line("board", board::name());
    print_line("counter", is_counted_outside(work) ? "outside" : measure::counter_unit());
    print_line("profile", pianola::kCapacities.name);
    print_line("binary", std::uint64_t{work.file.size()});
}

void print_outputs(Bench& bench) noexcept {
    pianola::Sha256 hash;
    for (std::uint32_t i = 0U; i < bench.session.plan().output_count; ++i) {
        ByteSpan view{bench.outputs[i]};
        if (bench.has_views) {
            static_cast<void>(bench.session.output_view(i, view));
        }
        hash.update(view);
    }
    const pianola::Sha256Digest digest = hash.finish();
    constexpr char kDigits[] = "0123456789abcdef";  // NOLINT(cppcoreguidelines-avoid-c-arrays): DEV-008
    std::array<char, (2U * digest.size()) + 1U> text{};
    for (std::size_t i = 0U; i < digest.size(); ++i) {
        text[2U * i] = kDigits[digest[i] >> 4U];
        text[(2U * i) + 1U] = kDigits[digest[i] & 0xFU];
    }
    print_line("outputs", text.data());
}

[[nodiscard]] ExitCode run_image() noexcept {
    static Ram ram;
    static Work work;
    static pianola::PlanWorkspace workspace;
    static pianola::Verdict verdict;
    ExitCode code = read_order(ram, work);
    print_head(work);
    code = (code == kDone) ? read_file(ram, workspace, verdict, work) : code;
    if (code != kDone) {
        return code;
    }
    static Bench bench{work};
    for (const pianola::Release release : {pianola::Release::kAtCompletion, pianola::Release::kVerified}) {
        bench.config.release = release;
        print_line("release", (release == pianola::Release::kVerified) ? "verified" : "at_completion");
        code = load(bench, workspace, verdict);
        if (code != kDone) {
            return code;
        }
        if ((release == pianola::Release::kAtCompletion) && !bind_tensors(bench, ram)) {
            return give_up("inputs of another size than the binary's");
        }
        bench.has_views = bench.session.has_views() && ((work.order.flags & measure::kTransfers) == 0U);
        print_line("io", bench.has_views ? "views" : "transfers");
        code = run_steps(bench);
        if (code != kDone) {
            return code;
        }
        print_outputs(bench);
    }
    print_line("done", std::uint64_t{work.order.steps});
    return kDone;
}

}  // namespace

// Protection is not set up: nothing gets here.
extern "C" bool pianola_on_violation(std::uintptr_t /*address*/, std::uintptr_t /*instruction*/) noexcept {
    return false;
}

int main() {
    semihosting::exit(run_image());
}
