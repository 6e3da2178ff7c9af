#include "pianola_host/replay.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "capture_host/base/interrupt.h"
#include "capture_host/base/text.h"
#include "capture_host/binary/names.h"
#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/refusal_text.h"
#include "pianola/development_config.h"
#include "pianola_host/manifest.h"

namespace pianola::replay {
namespace {

std::string text_of(const Verdict& verdict) {
    return fmt::format("{} at {} {}", rule_id(verdict.rule), files::path_text(verdict.path),
                       capture::describe_numbers(verdict));
}

// A mesh that no session supports gets one device: the session refuses the file.
std::uint32_t devices_of(const DeviceDescription& device) {
    const std::uint64_t devices = std::uint64_t{device.mesh_rows} * device.mesh_columns;
    return ((devices == 0U) || (devices > kMaxMeshDevices)) ? 1U : static_cast<std::uint32_t>(devices);
}

std::vector<std::unique_ptr<Simulator>> make(const Target& target, const DeviceDescription& device,
                                             SimulatorOptions options) {
    require_simulator(target, options);
    options.time = std::make_shared<VirtualTime>();
    std::vector<std::unique_ptr<Simulator>> simulators;
    for (std::uint32_t i = 0U; i < devices_of(device); ++i) {
        try {
            const Executor* const executor = options.executor.executor;
            simulators.push_back((executor == nullptr) ? target.simulate(device, options)
                                                       : executor->simulate(device, options));
        } catch (const ExecutorRefused& refused) {
            throw NotOffered{refused.what()};
        }
        if (simulators.back() == nullptr) {
            throw NotOffered{fmt::format("the target of device family {} makes no simulator of this device",
                                         target.usual_device().family)};
        }
    }
    return simulators;
}

Session session_of(const std::vector<std::unique_ptr<Simulator>>& simulators, const DeviceDescription& device,
                   const CommandSet& of_target, const SessionConfig& config) {
    std::vector<Device*> devices;
    for (const auto& simulator : simulators) {
        devices.push_back(&simulator->device());
    }
    const bool is_mesh = devices.size() > 1U;
    const CommandSet* const of_simulator = simulators.front()->command_set();
    const CommandSet& command_set = (of_simulator != nullptr) ? *of_simulator : of_target;
    return Session{
        DeviceSet{
            {devices.data(), devices.size()}, is_mesh ? device.mesh_rows : 1U, is_mesh ? device.mesh_columns : 1U},
        simulators.front()->platform(), command_set, config};
}

template <typename Planned>
Tensors zeros(const Planned& planned, std::uint32_t count) {
    Tensors tensors;
    for (std::uint32_t i = 0U; i < count; ++i) {
        tensors.emplace_back(planned.at(i).bytes);
    }
    return tensors;
}

}  // namespace

Refused::Refused(const Verdict& verdict) : std::runtime_error{text_of(verdict)}, verdict_{verdict} {}

Stopped::Stopped(Status status, const FaultRecord& fault)
    : std::runtime_error{fmt::format("the replay stopped with {} on queue {} of device ({}, {}) at command {}",
                                     status_name(status), fault.queue, fault.row, fault.column, fault.command)},
      status_{status},
      fault_{fault} {}

void require_simulator(const Target& target, const SimulatorOptions& options) {
    const Executor* const executor = options.executor.executor;
    const Span<const Executor* const> executors = target.executors();
    const bool has_executor = std::find(executors.begin(), executors.end(), executor) != executors.end();
    const Offers offers = has_executor ? executor->offers() : target.offers();
    const std::string title = (executor == nullptr) ? "" : executor->title();
    const std::string no_executor = fmt::format("no {} device", title);
    struct Wish {
        bool is_wanted;
        bool is_offered;
        const char* what;
    };
    for (const Wish& wish :
         {Wish{true, offers.simulator, "no simulator"}, Wish{executor != nullptr, has_executor, no_executor.c_str()},
          Wish{options.threaded, offers.threads, "no simulator with a thread per queue"},
          Wish{options.check_accesses, offers.access_checks, "no simulator that checks accesses"},
          Wish{options.keep_log, offers.command_log, "no simulator with a log of commands"},
          Wish{options.keep_execution_logs, offers.execution_logs, "no execution logs"}}) {
        if (wish.is_wanted && !wish.is_offered) {
            throw NotOffered{fmt::format("{}the target of device family {} has {}",
                                         title.empty() ? "" : fmt::format("on a {} device ", title),
                                         target.usual_device().family, wish.what)};
        }
    }
}

Replay::Replay(ByteSpan file, const Target& target, const DeviceDescription& device, const SimulatorOptions& options)
    : file_{std::vector<std::uint8_t>(file.begin(), file.end())},
      trust_{std::make_shared<signing::DevelopmentTrust>()},
      config_{trust_->get(), kDevelopmentConfig.release},
      simulators_{make(target, device, options)},
      session_{session_of(simulators_, device, target.command_set(), config_)} {}

void Replay::load() {
    Verdict verdict;
    const Status status = session_.load(file_.view(), *workspace_, verdict);
    if (status == Status::kRefused) {
        throw Refused{verdict};
    }
    check(status);
}

void Replay::check(Status status) const {
    if (!is_ok(status)) {
        throw Stopped{status, session_.fault()};
    }
}

void Replay::set_parameter(const std::string& name, std::uint32_t value) {
    std::vector<std::string> names;
    for (std::uint32_t i = 0U; i < image().parameter_count(); ++i) {
        const ParameterView parameter = image().parameter(i);
        names.push_back(capture::to_string(parameter.name));
        if (names.back() != name) {
            continue;
        }
        const Session::ParameterValue wanted{i, value};
        const Status status = session_.set_parameters({&wanted, 1U});
        if (status == Status::kInvalidArgument) {
            throw NoSuchValue{fmt::format("{} takes multiples of {} from {} to {}, not {}", name, parameter.alignment,
                                          parameter.minimum, parameter.maximum, value)};
        }
        check(status);
        return;
    }
    throw NoSuchValue{
        names.empty() ? fmt::format("the binary declares no parameter {}, nor any other", name)
                      : fmt::format("the binary declares no parameter {}; it has {}", name, fmt::join(names, ", "))};
}

bool Replay::has_state() const {
    bool found = false;
    for (std::uint32_t i = 0U; i < session_.plan().region_count; ++i) {
        found = found || (image().region(i).kind == RegionKind::kState);
    }
    return found;
}

Tensors Replay::empty_inputs() const {
    return zeros(session_.plan().inputs, session_.plan().input_count);
}

Tensors Replay::empty_outputs() const {
    return zeros(session_.plan().outputs, session_.plan().output_count);
}

std::vector<Tensors> Replay::run(const std::vector<Tensors>& inputs,
                                 const std::function<void(std::size_t done)>& done) {
    std::vector<Tensors> outputs(inputs.size(), empty_outputs());
    if (session_.plan().is_pipelined && !inputs.empty()) {
        run_overlapped(inputs, outputs, done);
        return outputs;
    }
    for (std::size_t i = 0U; i < inputs.size(); ++i) {
        interrupt::check();
        check(session_.run(Sources{inputs[i]}.view(), Destinations{outputs[i]}.view()));
        if (done) {
            done(i + 1U);
        }
    }
    return outputs;
}

// Every step takes the next inference's inputs and gives the previous one's outputs. A single inference gets its own
// inputs twice, because a step must give its outputs: the epilogue's outputs are those of a second inference.
void Replay::run_overlapped(const std::vector<Tensors>& inputs, std::vector<Tensors>& outputs,
                            const std::function<void(std::size_t done)>& done) {
    const auto report = [&done](std::size_t count) {
        if (done) {
            done(count);
        }
    };
    Tensors unwanted = empty_outputs();
    Tensors& last = (inputs.size() == 1U) ? unwanted : outputs.back();
    std::uint32_t under_way = 0U;
    interrupt::check();
    finish(session_.start(Sources{inputs.front()}.view()));
    try {
        if (inputs.size() == 1U) {
            finish(session_.submit(Sources{inputs.front()}.view(), Destinations{outputs.front()}.view()));
            report(1U);
        }
        for (std::size_t i = 1U; i < inputs.size(); ++i) {
            if (under_way == session_.plan().steps_in_flight) {
                finish(Status::kOk);
                under_way -= 1U;
            }
            check(session_.submit(Sources{inputs[i]}.view(), Destinations{outputs[i - 1U]}.view()));
            under_way += 1U;
            report(i + 1U);
            interrupt::check();
        }
        for (; under_way > 0U; --under_way) {
            finish(Status::kOk);
        }
    } catch (...) {
        // The session must not keep memory of this call, and the next run begins with the prologue.
        for (; under_way > 0U; --under_way) {
            static_cast<void>(session_.wait());
        }
        if (is_ok(session_.stop(Destinations{last}.view()))) {
            static_cast<void>(session_.wait());
        }
        throw;
    }
    finish(session_.stop(Destinations{last}.view()));
}

// As the next step of a stream.
bool Replay::gives_vector(std::uint32_t index, Tensors& outputs) {
    const std::size_t vector_bytes = session_.self_tests().size() / session_.self_test_count();
    ByteSpan rest = session_.self_tests().subspan(index * vector_bytes, vector_bytes);
    const auto next = [&rest](std::size_t bytes) {
        const ByteSpan tensor = rest.subspan(0U, bytes);
        rest = rest.subspan(bytes, rest.size() - bytes);
        return tensor;
    };
    const Plan& plan = session_.plan();
    std::vector<ByteSpan> inputs;
    for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
        inputs.push_back(next(plan.inputs.at(i).bytes));
    }
    check(session_.run({inputs.data(), inputs.size()}, Destinations{outputs}.view()));
    return std::all_of(outputs.begin(), outputs.end(), [&next](const std::vector<std::uint8_t>& output) {
        const ByteSpan wanted = next(output.size());
        return std::equal(output.begin(), output.end(), wanted.begin(), wanted.end());
    });
}

void Replay::self_test(const std::function<void(std::uint32_t done)>& done) {
    const Plan& plan = session_.plan();
    const std::uint32_t count = session_.self_test_count();
    const bool is_stream = (plan.prologue.count > 0U) && !plan.is_pipelined && (count > 0U);
    std::vector<std::uint8_t> scratch(session_.output_bytes());
    Tensors outputs = empty_outputs();
    check(is_stream ? session_.reset_state() : Status::kOk);
    try {
        for (std::uint32_t i = 0U; i < count; ++i) {
            interrupt::check();
            // In a stream the session replays the earlier vectors too: used only to describe the error.
            if (!is_stream || !gives_vector(i, outputs)) {
                check(session_.self_test(i, {scratch.data(), scratch.size()}));
            }
            if (done) {
                done(i + 1U);
            }
        }
    } catch (...) {
        static_cast<void>(is_stream ? session_.reset_state() : Status::kOk);  // a fault stays latched
        throw;
    }
    check(is_stream ? session_.reset_state() : Status::kOk);
}

}  // namespace pianola::replay
