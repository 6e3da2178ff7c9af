// pianola size: the memory manifest of a binary, as text and as JSON.

#include <fmt/format.h>

#include <array>
#include <utility>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/file_list.h"
#include "capture_host/cli/memory_manifest.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/size_timing.h"
#include "hal/host/device_numbers.h"
#include "pianola/footprint.h"

namespace pianola::cli {
namespace {

struct SizeArguments {
    std::vector<std::string> files;
    std::string output;
    std::string symbol;
    std::string language{"c++"};
    TargetArguments target;
    TimingArguments timing;
    bool json{false};
    bool header{false};
    bool linker{false};
};

const char* access_text(WindowAccess access) {
    return (access == WindowAccess::kReadOnly) ? "read" : "read and write";
}

double step_us(const MemoryManifest& manifest) {
    return static_cast<double>(manifest.step_cycles) * kMicrosecondsPerMillisecond / manifest.device.clock_khz;
}

std::string row(const char* what, std::uint64_t bytes, const std::string& remark = {}) {
    return fmt::format("  {:<22}{:>10} bytes{}{}\n", what, bytes, remark.empty() ? "" : "  ", remark);
}

nlohmann::json size_to_json(const NamedSize& size) {
    return {{"name", size.name}, {"bytes", size.size_bytes}};
}

nlohmann::json region_to_json(const ManifestRegionSize& region) {
    return {{"name", region.name},
            {"kind", name_of(region.kind)},
            {"memory", name_of(region.memory)},
            {"base", region.config.base},
            {"bytes", region.config.size_bytes},
            {"kernels_read", region.config.kernels_read},
            {"kernels_write", region.config.kernels_write},
            {"queues_read", region.config.queues_read},
            {"queues_write", region.config.queues_write},
            {"fetch", region.config.fetch}};
}

nlohmann::json window_to_json(const MemoryWindow& each) {
    return {{"name", each.name},
            {"memory", each.memory},
            {"access", access_text(each.access)},
            {"offset", each.offset_bytes},
            {"bytes", each.size_bytes},
            {"pow2_offset", each.pow2_offset_bytes},
            {"pow2_bytes", each.pow2_size_bytes}};
}

std::string promises_text(const DeviceDescription& device) {
    return fmt::format("device\n  {:<22}{}\n  {:<22}{}\n  {:<22}{}\n  {:<22}{}\n  {:<22}{}\n", "family", device.family,
                       "attests", attestation_text(device.attestation), "costs", costs_text(device.costs), "profile",
                       device.capacities->name, "weights layout", device.weights_layout);
}

std::string device_text(const MemoryManifest& manifest) {
    const DeviceDescription& device = manifest.device;
    std::string text = "device memory\n";
    text += row("DRAM", manifest.dram_used_bytes, fmt::format("used of {}", device.dram_bytes));
    text += row("L1", manifest.l1_used_bytes, fmt::format("used of {}", device.l1_bytes));
    text += row("trace region", manifest.trace_region_used_bytes,
                fmt::format("used of {}, the last of DRAM", device.trace_region_bytes));
    for (const ManifestRegionSize& region : manifest.regions) {
        text += fmt::format("  0x{:08X} {:<4}{:>17} bytes  {} ({}): {}\n", region.config.base, name_of(region.memory),
                            region.config.size_bytes, region.name, name_of(region.kind), region.permissions);
    }
    return text;
}

std::string step_text(const MemoryManifest& manifest) {
    std::string text = "one step\n";
    for (const NamedSize& each : manifest.inputs) {
        text += row("input", each.size_bytes, each.name);
    }
    for (const NamedSize& each : manifest.outputs) {
        text += row("output", each.size_bytes, each.name);
    }
    for (std::size_t i = 0U; i < manifest.rings.size(); ++i) {
        text += fmt::format("  ring of queue {:<8}{:>10} words  of {}; set-up takes {}\n", i,
                            manifest.rings[i].step_words, manifest.device.ring_words, manifest.rings[i].setup_words);
    }
    text += fmt::format("  {:<22}{}{}\n", "views",
                        manifest.no_views.empty() ? "possible" : "not possible: ", manifest.no_views);
    const std::string takes =
        (manifest.device.costs == CostKind::kNotPublished)
            ? "not published by the device"
            : fmt::format("{:>10} device cycles, {:.1f} us", manifest.step_cycles, step_us(manifest));
    text += fmt::format("  {:<22}{}; deadline {} us, of set-up {} us\n", "time", takes, manifest.step_deadline_us,
                        manifest.setup_deadline_us);
    text += fmt::format("  {:<22}{:>10} calls of poll(), where results are verified: within the deadline\n", "release",
                        manifest.release_calls);
    return text;
}

std::string window_text(const MemoryManifest& manifest) {
    std::string text = "protection windows: offset and size in units of 64 bytes, and as a power of two\n";
    for (const MemoryWindow& each : manifest.windows) {
        text += fmt::format("  {:<8} {:<12} 0x{:08X} {:>9}   0x{:08X} {:>9}   {}\n", each.name, each.memory,
                            each.offset_bytes, each.size_bytes, each.pow2_offset_bytes, each.pow2_size_bytes,
                            access_text(each.access));
    }
    return text;
}

std::string object_counts_text(const std::string& when, const std::vector<ObjectCount>& objects) {
    constexpr std::size_t kInALine = 5U;
    std::string text = fmt::format("  {:<18}", when);
    for (std::size_t i = 0U; i < objects.size(); ++i) {
        const ObjectCount& each = objects[i];
        if (i == 0U) {
            text += fmt::format("{:>6} {}", each.count, each.kind);
        } else if ((i % kInALine) == 0U) {
            text += fmt::format(",\n{:>26} {}", each.count, each.kind);
        } else {
            text += fmt::format(", {} {}", each.count, each.kind);
        }
    }
    return text + "\n";
}

// The objects that an executor's device would make of the binary, at open and at load.
std::string executor_text(const VerifiedFile& file, const Executor& executor) {
    const std::uint32_t queues = file.device().queue_count;
    const std::vector<ObjectCount> of_device = executor.objects({}, queues);
    if (of_device.empty()) {
        return {};
    }
    std::string text =
        fmt::format("objects on a {} device\n", executor.title()) + object_counts_text("at open", of_device);
    for (std::uint32_t i = 0U; i < file.image().trace_count(); ++i) {
        const TraceView trace = file.image().trace(i);
        const WordSpan words =
            file.image().trace_words().subspan(trace.offset_bytes / sizeof(std::uint32_t), trace.word_count);
        text += object_counts_text(fmt::format("at load, trace {}", i), executor.objects(words, queues));
    }
    return text;
}

std::string executors_text(const VerifiedFile& file) {
    std::string text;
    for (const Executor* const executor : file.target().executors()) {
        text += executor_text(file, *executor);
    }
    return text;
}

MemoryManifest gather(const SizeArguments& arguments, const VerifiedFile& file, const std::string& name) {
    return gather_manifest(file, name, arguments.symbol.empty() ? symbol_for(name) : arguments.symbol);
}

std::string manifest_in_its_form(const SizeArguments& arguments, const VerifiedFile& file, const std::string& name) {
    const MemoryManifest manifest = gather(arguments, file, name);
    if (arguments.header) {
        return (arguments.language == "c99") ? manifest_as_c_header(manifest) : manifest_as_header(manifest);
    }
    return arguments.linker ? manifest_as_linker_fragment(manifest)
                            : (manifest_as_text(manifest) + executors_text(file));
}

nlohmann::json manifest_in_json(const SizeArguments& arguments, const VerifiedFile& file, const std::string& name) {
    return manifest_to_json(gather(arguments, file, name));
}

// The memory manifest of one file and, where it is asked for, whether a fault is handled in time.
int show_one(const SizeArguments& arguments, const std::string& name) {
    const VerifiedFile file{name, arguments.target};
    const bool is_timed = arguments.timing.is_asked();
    const TimingAnswer timed = is_timed ? time_faults(arguments.timing, file) : TimingAnswer{};
    if (arguments.json) {
        nlohmann::json json = manifest_in_json(arguments, file, name);
        if (is_timed) {
            json["fault_handling"] = timing_to_json(timed);
        }
        write_result(arguments.output, json_text(json) + "\n");
    } else {
        write_result(arguments.output,
                     manifest_in_its_form(arguments, file, name) + (is_timed ? timing_text(timed) : std::string{}));
    }
    return (!is_timed || timed.answer.fits) ? kDone : kDoesNotFit;
}

int show_size(const SizeArguments& arguments) {
    if (is_one_file(arguments.files)) {
        return show_one(arguments, arguments.files.front());
    }
    // Names in headers and linker scripts, and files that builds read, are those of one binary.
    const std::array<std::pair<bool, const char*>, 5> options{{{arguments.header, "--header"},
                                                               {arguments.linker, "--ld"},
                                                               {!arguments.output.empty(), "--output"},
                                                               {!arguments.symbol.empty(), "--symbol"},
                                                               {arguments.timing.is_asked(), "--ftti-us"}}};
    for (const auto& [is_given, option] : options) {
        if (is_given) {
            throw CliError{kUsage, fmt::format("{}: is about one file, and several were given", option),
                           "call `pianola size` once for each file"};
        }
    }
    const targets::Targets targets = load_targets(arguments.target.plugin);
    const DeviceFile device{arguments.target.device};
    return show_files(
        arguments.files, arguments.json,
        {[&](const std::string& name) {
             fmt::print("{}", manifest_in_its_form(arguments, {name, targets, device}, name));
         },
         [&](const std::string& name) { return manifest_in_json(arguments, {name, targets, device}, name); }});
}

}  // namespace

std::string manifest_as_text(const MemoryManifest& manifest) {
    std::string text = manifest.file + "\n" + promises_text(manifest.device) + "flash\n";
    text += row("file", manifest.file_bytes);
    for (const NamedSize& segment : manifest.segments) {
        text += row(("  " + segment.name).c_str(), segment.size_bytes);
    }
    text += "RAM on a 32-bit core\n";
    for (const RamPart& part : manifest.ram) {
        text += row(part.title.c_str(), part.bytes, part.remark);
    }
    text += row("stack of submit, poll", kSubmitPollStackBytes, "at most");
    text += row("stack of load", kLoadStackBytes, "at most");
    return text + device_text(manifest) + step_text(manifest) + window_text(manifest);
}

nlohmann::json manifest_to_json(const MemoryManifest& manifest) {
    const DeviceDescription& device = manifest.device;
    nlohmann::json json;
    json["file"] = manifest.file;
    json["symbol"] = manifest.symbol;
    json["flash"] = {{"bytes", manifest.file_bytes}, {"segments", json_list(manifest.segments, size_to_json)}};
    for (const RamPart& part : manifest.ram) {
        json["ram"][part.name + "_bytes"] = part.bytes;
    }
    json["stack"] = {{"submit_poll_bytes", kSubmitPollStackBytes}, {"load_bytes", kLoadStackBytes}};
    json["device"] = {{"family", device.family},
                      {"attestation", attestation_name(device.attestation)},
                      {"costs", costs_name(device.costs)},
                      {"weights_layout", device.weights_layout},
                      {"profile", device.capacities->name},
                      {"dram_used_bytes", manifest.dram_used_bytes},
                      {"l1_used_bytes", manifest.l1_used_bytes},
                      {"trace_region_used_bytes", manifest.trace_region_used_bytes}};
    for_each_size([&json](const char* name, std::uint32_t value) { json["device"][name] = value; }, device);
    json["regions"] = json_list(manifest.regions, region_to_json);
    json["inputs"] = json_list(manifest.inputs, size_to_json);
    json["outputs"] = json_list(manifest.outputs, size_to_json);
    json["rings"] = {{"capacity_words", device.ring_words},
                     {"queues", json_list(manifest.rings, [](const RingUse& ring) -> nlohmann::json {
                          return {{"setup_words", ring.setup_words}, {"step_words", ring.step_words}};
                      })}};
    json["time"] = {{"step_cycles", manifest.step_cycles},
                    {"step_deadline_us", manifest.step_deadline_us},
                    {"setup_deadline_us", manifest.setup_deadline_us}};
    json["verified_release"] = {{"calls", manifest.release_calls}, {"bytes_per_call", kScrubSliceBytes}};
    json["views"] = {{"possible", manifest.no_views.empty()}, {"why_not", manifest.no_views}};
    json["windows"] = json_list(manifest.windows, window_to_json);
    return json;
}

void add_size(CLI::App& app, Action& action) {
    const auto [command, arguments] =
        add_command(app, action, "size", "Shows every byte of memory that a binary needs on a target", show_size);
    command->footer(
        "Examples:\n"
        "  pianola size signs.ptb\n"
        "  pianola size signs.ptb --header -o signs_manifest.h    constants that do not compile where they are not "
        "true\n"
        "  pianola size signs.ptb --ld -o pianola_memory.ld       symbols for a linker script that INCLUDEs it\n"
        "  pianola size signs.ptb --ftti-us 100000 --period-us 20000 --poll-us 1000 --reset-us 20000 \\\n"
        "      --clock-hz 200000000 --cycles-per-instruction 3    whether a fault is handled in time\n\n"
        "The binary is verified first. RAM is exact, for cores with 32-bit pointers. docs/reference/manifest.md "
        "explains every "
        "entry, docs/guide/timing.md the time from a fault to the safe state.");
    add_files_option(*command, arguments->files);
    add_text(*command, "-o,--output", arguments->output, kWrites, "File to write; default: standard output");
    auto* const json = command->add_flag("--json", arguments->json, "Print as JSON");
    auto* const header = command->add_flag("--header", arguments->header, "Print as a C++17 header of constants");
    CLI::Option* const linker = command->add_flag("--ld", arguments->linker, "Print as symbols for a GNU linker script")
                                    ->excludes(json)
                                    ->excludes(header);
    header->excludes(json);
    add_language_option(*command, arguments->language, "c++", "Of the header");
    add_symbol_option(*command, arguments->symbol, "Name in header and symbols; default: from the file name");
    add_target_options(*command, arguments->target);
    add_timing_options(*command, arguments->timing);
    command->get_option("--ftti-us")->excludes(header)->excludes(linker);
}

}  // namespace pianola::cli
