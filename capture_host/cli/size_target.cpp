// The forms of the memory manifest that a target's build takes in: C++ header and linker fragment.

#include <fmt/format.h>

#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/memory_manifest.h"
#include "pianola/config.h"
#include "pianola/footprint.h"

namespace pianola::cli {
namespace {

// "shared_state" is "SharedState".
std::string camel(const std::string& name) {
    std::string text;
    bool starts = true;
    for (const char each : name) {
        text += starts ? upper_case(std::string{each}) : std::string{each == '_' ? "" : std::string{each}};
        starts = each == '_';
    }
    return text;
}

std::string constant(const std::string& name, std::uint64_t value, const char* type = "std::uint32_t") {
    return fmt::format("inline constexpr {} {} = {}U;\n", type, name, value);
}

// "{490U, 20U}"
std::string list_constant(const std::string& name, const std::vector<NamedSize>& sizes) {
    std::string values;
    for (const NamedSize& each : sizes) {
        values += fmt::format("{}{}U", values.empty() ? "" : ", ", each.size_bytes);
    }
    return fmt::format("inline constexpr std::array<std::uint32_t, {}> {}{{{}}};\n", sizes.size(), name, values);
}

std::string size_constants(const MemoryManifest& manifest) {
    std::string text = "// Flash.\n" + constant("kFlashBytes", manifest.file_bytes);
    text += constant("kAlignmentBytes", kFileAlignmentBytes);
    text += "\n// RAM of a 32-bit core.\n";
    for (const RamPart& part : manifest.ram) {
        text += constant(fmt::format("k{}Bytes", camel(part.name)), part.bytes);
    }
    text += constant("kSubmitPollStackBytes", kSubmitPollStackBytes);
    text += constant("kLoadStackBytes", kLoadStackBytes);
    text += "\n// Device memory.\n";
    text += constant("kDramUsedBytes", manifest.dram_used_bytes);
    text += constant("kL1UsedBytes", manifest.l1_used_bytes);
    text += constant("kTraceRegionUsedBytes", manifest.trace_region_used_bytes);
    text += "\n// One step.\n";
    text += list_constant("kInputBytes", manifest.inputs) + list_constant("kOutputBytes", manifest.outputs);
    for (std::size_t i = 0U; i < manifest.rings.size(); ++i) {
        text += constant(fmt::format("kQueue{}SetupWords", i), manifest.rings[i].setup_words);
        text += constant(fmt::format("kQueue{}StepWords", i), manifest.rings[i].step_words);
    }
    text += constant("kStepCycles", manifest.step_cycles, "std::uint64_t");
    text += constant("kStepDeadlineUs", manifest.step_deadline_us);
    return text + constant("kSetupDeadlineUs", manifest.setup_deadline_us);
}

std::string device_constant(const MemoryManifest& manifest) {
    return manifest.device_constant.empty() ? std::string{}
                                            : ("\n// The device that the binary is for.\n" + manifest.device_constant);
}

std::vector<NamedSize> numbers_of(const MemoryWindow& window) {
    return {{"offset", window.offset_bytes},
            {"bytes", window.size_bytes},
            {"pow2_offset", window.pow2_offset_bytes},
            {"pow2_bytes", window.pow2_size_bytes}};
}

std::string window_constants(const MemoryManifest& manifest) {
    std::string text =
        "\n// What a protection unit opens while this binary's slot runs: offset in its memory and size, in units of "
        "64\n"
        "// bytes, and as a naturally aligned power of two (PMSAv7).\n";
    for (const MemoryWindow& each : manifest.windows) {
        const std::string name = fmt::format("k{}Window", each.name);
        text += fmt::format("// {}, {}\n", each.memory,
                            (each.access == WindowAccess::kReadOnly) ? "read only" : "read and write");
        for (const auto& [what, bytes] : numbers_of(each)) {
            text += constant(name + camel(what), bytes);
        }
    }
    return text;
}

// `what` must be true on a 32-bit core; elsewhere sizes differ.
std::string assertion(const std::string& what) {
    return fmt::format("static_assert((sizeof(void*) != 4U) || ({}));\n", what);
}

std::string assertions(const MemoryManifest& manifest) {
    std::string text = "\n// Not true means: made by a pianola of another version. Make it anew.\n";
    text += assertion(fmt::format("::pianola::kCapacities.intervals == {}U",
                                  manifest.device.capacities->intervals));  // another PIANOLA_PROFILE
    for (const RamPart& part : manifest.ram) {
        text += assertion(fmt::format("sizeof({}) == k{}Bytes", part.type, camel(part.name)));
    }
    text += fmt::format(
        "static_assert(::pianola::kFileAlignmentBytes == kAlignmentBytes);\n"
        "static_assert(kFlashBytes <= ::pianola::kMaxFileBytes);\n"
        "static_assert({}U <= ::pianola::kMaxRegions);\n"
        "static_assert(kInputBytes.size() <= ::pianola::kMaxInputs);\n"
        "static_assert(kOutputBytes.size() <= ::pianola::kMaxOutputs);\n"
        "static_assert({}U <= ::pianola::kMaxQueues);\n",
        manifest.regions.size(), manifest.rings.size());
    return text;
}

}  // namespace

std::string manifest_as_header(const MemoryManifest& manifest) {
    std::string includes;
    for (const RamPart& part : manifest.ram) {
        includes += part.header.empty() ? "" : fmt::format("#include \"{}\"\n", part.header);
    }
    return fmt::format(
               "// Memory manifest of {0}; made by pianola size --header, do not edit.\n"
               "// docs/reference/manifest.md explains it.\n"
               "#pragma once\n\n"
               "#include <array>\n#include <cstdint>\n\n"
               "{2}"
               "#include \"pianola/config.h\"\n"
               "#include \"pianola/session.h\"\n\n"
               "namespace pianola::manifest::{1} {{\n\n",
               base_name_in_source(manifest.file), manifest.symbol, includes) +
           size_constants(manifest) + device_constant(manifest) + window_constants(manifest) + assertions(manifest) +
           fmt::format("\n}}  // namespace pianola::manifest::{}\n", manifest.symbol);
}

std::string manifest_as_linker_fragment(const MemoryManifest& manifest) {
    const std::string name = "PIANOLA_" + upper_case(manifest.symbol);
    std::string text = fmt::format("/* Memory manifest of {}; made by pianola size --ld, do not edit. */\n",
                                   base_name_in_source(manifest.file));
    const auto define = [&text](const std::string& symbol, std::uint64_t value) {
        text += fmt::format("{} = {};\n", symbol, value);
    };
    text += "\n/* Of this version of Pianola, and of the device: the same for all binaries of one device. */\n";
    define("PIANOLA_ALIGNMENT_BYTES", kFileAlignmentBytes);
    for (const RamPart& part : manifest.ram) {
        if (part.is_placed) {
            define(fmt::format("PIANOLA_{}_BYTES", upper_case(part.name)), part.bytes);
        }
    }
    define("PIANOLA_SUBMIT_POLL_STACK_BYTES", kSubmitPollStackBytes);
    define("PIANOLA_LOAD_STACK_BYTES", kLoadStackBytes);
    define("PIANOLA_DEVICE_DRAM_BYTES", manifest.device.dram_bytes);
    define("PIANOLA_DEVICE_L1_BYTES", manifest.device.l1_bytes);
    define("PIANOLA_DEVICE_TRACE_REGION_BYTES", manifest.device.trace_region_bytes);
    text += fmt::format("\n/* Of {}. */\n", base_name_in_source(manifest.file));
    define(name + "_FLASH_BYTES", manifest.file_bytes);
    define(name + "_INPUT_BYTES", manifest.input_bytes);
    define(name + "_OUTPUT_BYTES", manifest.output_bytes);
    define(name + "_DRAM_USED_BYTES", manifest.dram_used_bytes);
    define(name + "_L1_USED_BYTES", manifest.l1_used_bytes);
    define(name + "_TRACE_REGION_USED_BYTES", manifest.trace_region_used_bytes);
    for (const MemoryWindow& each : manifest.windows) {
        const std::string window = name + "_" + upper_case(each.name) + "_WINDOW";
        for (const auto& [what, bytes] : numbers_of(each)) {
            define(window + "_" + upper_case(what), bytes);
        }
    }
    return text;
}

}  // namespace pianola::cli
