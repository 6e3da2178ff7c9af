#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "capture_host/binary/names.h"
#include "capture_host/python/bindings.h"
#include "pianola_host/tensor.h"

namespace pianola::python {
namespace {

namespace py = pybind11;
using host::Device;
using host::TraceId;
using tensor::Tensor;

[[nodiscard]] host::Races races_from(const std::string& name) {
    if (name == "raise") {
        return host::Races::kRaise;
    }
    if (name == "warn") {
        return host::Races::kWarn;
    }
    if (name == "off") {
        return host::Races::kOff;
    }
    throw host::HostError{host::HostRule::kDeviceOptions,
                          fmt::format("races is '{}'; 'raise', 'warn' and 'off' are possible", name)};
}

[[nodiscard]] host::DeviceOptions options_from(
    std::int64_t l1_small_size, std::int64_t trace_region_size, std::int64_t num_command_queues,
    const std::optional<CoreGrid>& core_grid, bool threaded, bool allow_allocation_under_trace, bool keep_log,
    std::int64_t host_dispatch_ns, std::int64_t host_replay_ns, const std::string& profile,
    const std::optional<std::uint32_t>& dram_bytes, const std::optional<std::uint32_t>& l1_bytes,
    const std::optional<std::uint32_t>& dispatch_area_bytes, const std::string& races, const std::string& executor) {
    static_cast<void>(unsigned_from(l1_small_size, "l1_small_size"));
    host::DeviceOptions options;
    if (core_grid.has_value()) {
        options.spec.grid_columns = core_grid->x;
        options.spec.grid_rows = core_grid->y;
    }
    options.spec.dram_bytes = dram_bytes.value_or(options.spec.dram_bytes);
    options.spec.l1_bytes = l1_bytes.value_or(options.spec.l1_bytes);
    options.dispatch_area_bytes = dispatch_area_bytes.value_or(options.dispatch_area_bytes);
    options.trace_region_size = unsigned_from(trace_region_size, "trace_region_size");
    options.num_command_queues = unsigned_from(num_command_queues, "num_command_queues");
    options.threaded = threaded;
    options.allow_allocation_under_trace = allow_allocation_under_trace;
    options.keep_log = keep_log;
    options.spec.capacities = find_profile(profile);
    if (options.spec.capacities == nullptr) {
        throw host::HostError{host::HostRule::kDeviceOptions,
                              fmt::format("there is no profile '{}'; {} are", profile, list_profiles("", "and"))};
    }
    options.host_cost = {unsigned_from(host_dispatch_ns, "host_dispatch_ns"),
                         unsigned_from(host_replay_ns, "host_replay_ns")};
    options.races = races_from(races);
    static_cast<void>(executor_from(executor));
    options.vulkan = vulkan_number(executor);
    options.call_site = &call_site;
    return options;
}

// open_device() and open_mesh_device(): a function of what is opened, and of the options.
template <typename What, typename Open, typename Name>
void bind_open(py::module_& module, const char* name, const Open& open, const char* doc, const Name& what) {
    module.def(
        name,
        [open](const What& opened, std::int64_t l1_small_size, std::int64_t trace_region_size,
               std::int64_t num_command_queues, const std::optional<CoreGrid>& core_grid, bool threaded,
               bool allow_allocation_under_trace, bool keep_log, std::int64_t host_dispatch_ns,
               std::int64_t host_replay_ns, const std::string& profile, const std::optional<std::uint32_t>& dram_bytes,
               const std::optional<std::uint32_t>& l1_bytes, const std::optional<std::uint32_t>& dispatch_area_bytes,
               const std::string& races, const std::string& executor) {
            return open(opened, options_from(l1_small_size, trace_region_size, num_command_queues, core_grid, threaded,
                                             allow_allocation_under_trace, keep_log, host_dispatch_ns, host_replay_ns,
                                             profile, dram_bytes, l1_bytes, dispatch_area_bytes, races, executor));
        },
        doc, what, py::kw_only(), py::arg("l1_small_size") = 0, py::arg("trace_region_size") = 0,
        py::arg("num_command_queues") = 1, py::arg("core_grid") = py::none(), py::arg("threaded") = false,
        py::arg("allow_allocation_under_trace") = false, py::arg("keep_log") = false,
        py::arg("host_dispatch_ns") = kDefaultHostCost.dispatch_ns,
        py::arg("host_replay_ns") = kDefaultHostCost.replay_ns, py::arg("profile") = kDeviceCapacities.name,
        py::arg("dram_bytes") = py::none(), py::arg("l1_bytes") = py::none(),
        py::arg("dispatch_area_bytes") = py::none(), py::arg("races") = "raise", py::arg("executor") = kSimulator);
}

constexpr auto kMemoriesType = py::detail::const_name("Dict[str, Dict[str, int]]");
using Memories = Typed<kMemoriesType, py::dict>;

[[nodiscard]] py::dict use(const host::MemoryUse& memory) {
    py::dict entry;
    entry["total_bytes"] = memory.total_bytes;
    entry["used_bytes"] = memory.used_bytes;
    entry["largest_free_bytes"] = memory.largest_free_bytes;
    entry["free_under_trace_bytes"] = memory.free_under_trace_bytes;
    entry["allocations"] = memory.allocations;
    return entry;
}

[[nodiscard]] std::vector<Entry> log_of(Device& self, std::uint32_t queue) {
    if (!self.options().keep_log) {
        throw host::HostError{host::HostRule::kDeviceOptions, "the device keeps no log; open it with keep_log=True"};
    }
    std::vector<Entry> entries;
    for (const LoggedCommand& command : self.log(queue)) {
        py::dict entry;
        entry["command"] = (command.name == nullptr) ? "invalid" : command.name;
        entry["kernel"] = (command.kernel_name == nullptr) ? py::object{py::none()} : py::str(command.kernel_name);
        entry["core"] = command.core.has_value() ? py::object{py::int_(*command.core)} : py::object{py::none()};
        entry["start_cycles"] = command.start_cycles;
        entry["end_cycles"] = command.end_cycles;
        entries.push_back({std::move(entry)});
    }
    return entries;
}

void bind_members(py::module_& module) {
    auto device = module.attr("Device").cast<py::class_<Device, DevicePtr>>();
    device.def("is_open", &Device::is_open)
        .def_property_readonly("num_command_queues",
                               [](const Device& self) { return self.options().num_command_queues; })
        .def_property_readonly(
            "core_grid", [](const Device& self) { return CoreGrid{self.spec().grid_columns, self.spec().grid_rows}; })
        .def("num_program_cache_entries", &Device::program_cache_entries)
        .def("enable_program_cache", [](Device& self) { self.set_program_cache_enabled(true); })
        .def(
            "disable_and_clear_program_cache",
            [](Device& self) {
                self.set_program_cache_enabled(false);
                self.clear_program_cache();
            },
            "Every operation is compiled anew, and none can be captured.")
        .def("clear_program_cache", &Device::clear_program_cache)
        .def("trace_region_bytes_used", &Device::trace_region_bytes_used)
        .def("warnings", &Device::warnings, "What was allowed although it has consequences.")
        .def("memory_report",
             [](const Device& self) {
                 const host::MemoryReport report = self.memory_report();
                 py::dict memories;
                 memories["DRAM"] = use(report.dram);
                 memories["L1"] = use(report.l1);
                 memories["trace_region"] = use(report.trace_region);
                 return Memories{std::move(memories)};
             })
        .def("log", &log_of, "What a queue has executed since the log was cleared; kept with keep_log=True.",
             py::arg("cq_id") = 0U)
        .def("clear_log", &Device::clear_log)
        .def("host_time_ns", [](const Device& self) { return self.now().host_ns; })
        .def("device_cycles", [](const Device& self) { return self.now().device_cycles; });
    bind_open<std::int64_t>(
        module, "open_device",
        [](std::int64_t device_id, const host::DeviceOptions& options) {
            static_cast<void>(unsigned_from(device_id, "device_id"));
            return host::open_device(options);
        },
        "Opens a simulated device of its own. docs/guide/python.md lists the options.", py::arg("device_id") = 0);
    bind_open<host::MeshShape>(
        module, "open_mesh_device", &host::open_mesh,
        "Opens simulated devices that are used as one. The options are those of open_device(), for each of them.",
        py::arg("mesh_shape"));
    module.def(
        "close_device", [](const DevicePtr& self) { self->close(); },
        "Waits for what is under way, and frees everything.", py::arg("device").none(false));
    module.def(
        "synchronize_device",
        [](const AnyDevice& any, std::optional<std::uint32_t> queue) {
            call_on(any, [queue](auto& self) {
                if (queue.has_value()) {
                    self.finish(*queue);
                } else {
                    self.synchronize();
                }
            });
        },
        "Waits for all queues, or for one.", py::arg("device").none(false), py::arg("cq_id") = py::none());
}

void bind_events(py::module_& module) {
    py::class_<Event>(module, "Event",
                      "What one queue records and another waits for. print() and warnings of captures show its number.")
        .def("__repr__", [](const Event& event) { return fmt::format("Event({})", event.id.value); });
    module.def(
        "create_event",
        [](const AnyDevice& any) {
            return Event{any, call_on(any, [](auto& device) { return device.create_event(); })};
        },
        "An event that one queue records and another waits for.", py::arg("device").none(false));
    module.def(
        "record_event",
        [](std::uint32_t queue, const Event& event) {
            call_on(event.device, [&](auto& device) { device.record_event(queue, event.id); });
        },
        "The event happens when everything before it on the queue has completed.", py::arg("cq_id"), py::arg("event"));
    module.def(
        "wait_for_event",
        [](std::uint32_t queue, const Event& event) {
            call_on(event.device, [&](auto& device) { device.wait_for_event(queue, event.id); });
        },
        "The queue does not get on before the event's latest record has happened.", py::arg("cq_id"), py::arg("event"));
    module.def(
        "event_synchronize",
        [](const Event& event) { call_on(event.device, [&](auto& device) { device.event_synchronize(event.id); }); },
        "Waits for the event's latest record.", py::arg("event"));
    module.def(
        "event_query",
        [](const Event& event) {
            return call_on(event.device, [&](auto& device) { return device.event_query(event.id); });
        },
        "True where the event's latest record has happened.", py::arg("event"));
}

[[nodiscard]] std::vector<host::BufferPtr> buffers_of_tensors(const std::vector<Tensor>& tensors) {
    std::vector<host::BufferPtr> buffers;
    for (const Tensor& each : tensors) {
        buffers.push_back(each.buffer());
    }
    return buffers;
}

[[nodiscard]] Entry info_of(const host::TraceInfo& info) {
    py::dict entry;
    entry["cq_id"] = info.queue;
    entry["address"] = info.address;
    entry["bytes"] = info.bytes;
    entry["command_count"] = info.command_count;
    entry["cost_cycles"] = info.cost_cycles;
    py::list programs;
    for (const host::TraceProgramInfo& program : info.programs) {
        programs.append(py::make_tuple(program.name, program.command_count));
    }
    entry["programs"] = programs;
    return {std::move(entry)};
}

void bind_traces(py::module_& module) {
    const auto device = py::arg("device").none(false);
    py::class_<TraceId>(module, "TraceId", "A trace of one device.")
        .def("__int__", [](TraceId trace) { return trace.value; })
        .def("__eq__", [](TraceId left, TraceId right) { return left == right; })
        .def("__hash__", [](TraceId trace) { return std::hash<std::uint64_t>{}(trace.value); })
        .def("__repr__", [](TraceId trace) { return fmt::format("TraceId({})", trace.value); });
    module.def(
        "begin_trace_capture",
        [](const AnyDevice& any, std::uint32_t queue) {
            return call_on(any, [queue](auto& self) { return self.begin_trace_capture(queue); });
        },
        "From now on the queue's operations go into a trace and are not executed.", device, py::arg("cq_id") = 0U);
    module.def(
        "end_trace_capture",
        [](const AnyDevice& any, TraceId trace, std::uint32_t queue) {
            call_on(any, [&](auto& self) { self.end_trace_capture(queue, trace); });
        },
        "Ends the capture: the queue's operations are executed again.", device, py::arg("trace_id"),
        py::arg("cq_id") = 0U);
    module.def(
        "execute_trace",
        [](const AnyDevice& any, TraceId trace, std::uint32_t queue, bool blocking) {
            call_on(any, [&](auto& self) { self.execute_trace(queue, trace, blocking); });
        },
        "Enqueues all operations of the trace.", device, py::arg("trace_id"), py::arg("cq_id") = 0U,
        py::arg("blocking") = false);
    module.def(
        "release_trace",
        [](const AnyDevice& any, TraceId trace) { call_on(any, [trace](auto& self) { self.release_trace(trace); }); },
        "Frees the trace's part of the trace region and the memory that it claims.", device, py::arg("trace_id"));
    module.def(
        "trace_info", [](const DevicePtr& self, TraceId trace) { return info_of(self->trace_info(trace)); },
        "A dictionary: `cq_id`, `address`, `bytes`, `command_count`, `cost_cycles`, and `programs` with their names "
        "and "
        "counts of commands.",
        device, py::arg("trace_id"));
    module.def(
        "trace_info",
        [](const host::MeshPtr& self, TraceId trace, const host::MeshCoordinate& coordinate) {
            const std::optional<host::TraceInfo> info = self->trace_info(trace, coordinate);
            return info.has_value() ? std::optional{info_of(*info)} : std::nullopt;
        },
        "Of one device; None where it has no program in the trace.", py::arg("mesh_device").none(false),
        py::arg("trace_id"), py::arg("coordinate"));
}

void bind_trace_blobs(py::module_& module) {
    const auto device = py::arg("device").none(false);
    module.def(
        "collect_trace",
        [](const DevicePtr& self, TraceId trace, const std::map<std::string, Tensor>& tensors) {
            std::vector<host::NamedBuffer> names;
            for (const auto& [name, each] : tensors) {
                names.push_back({name, each.buffer()});
            }
            return bytes_of(self->collect_trace(trace, names).bytes);
        },
        "The trace as bytes, for load_trace() on an equal device; `tensors` names those that it uses.", device,
        py::arg("trace_id"), py::arg("tensors") = std::map<std::string, Tensor>{});
    module.def(
        "trace_tensors",
        [](const DevicePtr& self, TraceId trace) {
            std::map<std::string, Tensor> tensors;
            for (const host::NamedBuffer& each : self->trace_buffers(trace)) {
                tensors.emplace(each.name, Tensor::on_buffer(each.buffer));
            }
            return tensors;
        },
        "The tensors that load_trace() has allocated with the trace, by name.", device, py::arg("trace_id"));
    module.def(
        "load_trace",
        [](const DevicePtr& self, const py::bytes& blob, std::uint32_t queue, const std::vector<Tensor>& tensors) {
            const std::string_view text = blob;
            const std::vector<std::uint8_t> bytes{text.begin(), text.end()};
            return self->load_trace(queue, ByteSpan{bytes.data(), bytes.size()}, buffers_of_tensors(tensors));
        },
        "A trace from bytes. Its memory must be free, or be that of `tensors`.", device, py::arg("blob"),
        py::arg("cq_id") = 0U, py::arg("tensors") = std::vector<Tensor>{});
}

void bind_trace_inputs(py::module_& module) {
    const auto device = py::arg("device").none(false);
    module.def(
        "expect_input",
        [](const DevicePtr& self, TraceId trace, const Tensor& input, const std::string& name) {
            self->expect_input(trace, input.buffer(), name);
        },
        "From now on the trace is executed only while this tensor is allocated where the trace reads it.", device,
        py::arg("trace_id"), py::arg("tensor"), py::arg("name") = "input");
    module.def(
        "argument_words",
        [](const DevicePtr& self, TraceId trace, std::uint32_t program, std::uint32_t kernel, std::uint32_t argument) {
            return self->argument_words(trace, program, host::KernelHandle{kernel}, argument);
        },
        "For declare_parameter(): an argument of a kernel of one of the trace's programs, on every core.", device,
        py::arg("trace_id"), py::arg("program"), py::arg("kernel"), py::arg("argument"));
    module.def(
        "address_words",
        [](const DevicePtr& self, TraceId trace, const Tensor& each) {
            return self->address_words(trace, each.buffer());
        },
        "For declare_parameter(): every argument of the trace that is the tensor's address.", device,
        py::arg("trace_id"), py::arg("tensor"));
    module.def(
        "declare_parameter",
        [](const DevicePtr& self, TraceId trace, const std::string& name, const std::vector<std::uint32_t>& words,
           std::int64_t minimum, std::int64_t maximum, std::int64_t alignment, bool is_address) {
            self->declare_parameter(trace, trace_parameter(name, words, minimum, maximum, alignment, is_address));
        },
        "Words of a trace that may change between executions, all to one value.", device, py::arg("trace_id"),
        py::arg("name"), py::arg("words"), py::kw_only(), py::arg("minimum"), py::arg("maximum"),
        py::arg("alignment") = 1, py::arg("is_address") = false);
    module.def(
        "set_parameter",
        [](const DevicePtr& self, TraceId trace, const std::string& name, std::int64_t value) {
            self->set_parameter(trace, name, unsigned_from(value, "value"));
        },
        "A new value of a declared parameter, from the next execution on.", device, py::arg("trace_id"),
        py::arg("name"), py::arg("value"));
}

}  // namespace

host::TraceParameter trace_parameter(const std::string& name, const std::vector<std::uint32_t>& words,
                                     std::int64_t minimum, std::int64_t maximum, std::int64_t alignment,
                                     bool is_address) {
    host::TraceParameter parameter;
    parameter.name = name;
    parameter.kind = is_address ? host::TraceParameterKind::kBufferAddress : host::TraceParameterKind::kRuntimeArgument;
    parameter.minimum = unsigned_from(minimum, "minimum");
    parameter.maximum = unsigned_from(maximum, "maximum");
    parameter.alignment = unsigned_from(alignment, "alignment");
    parameter.words = words;
    return parameter;
}

ExecutorDevice executor_from(const std::string& executor, const targets::Targets& targets) {
    const ExecutorDevice found = targets.executor(executor);
    if ((found.executor == nullptr) && (executor != kSimulator)) {
        throw host::HostError{host::HostRule::kDeviceOptions,
                              fmt::format("executor is '{}'; '{}', 'vulkan' and 'vulkan:N' are possible, `pianola "
                                          "devices` lists the latter",
                                          executor, kSimulator)};
    }
    return found;
}

void bind_device(py::module_& module) {
    bind_members(module);
    bind_events(module);
    bind_traces(module);
    bind_trace_blobs(module);
    bind_trace_inputs(module);
}

}  // namespace pianola::python
