// The memory manifest as a header for applications that use the C API: the constants of the C++ header as macros.

#include <fmt/format.h>

#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/memory_manifest.h"
#include "pianola/config.h"
#include "pianola/footprint.h"

namespace pianola::cli {
namespace {

// Collects macros whose names begin alike.
class Macros {
  public:
    explicit Macros(std::string prefix) : prefix_{std::move(prefix)} {}

    void comment(const std::string& text) { text_ += fmt::format("\n/* {} */\n", text); }
    void define(const std::string& name, std::uint64_t value) {
        text_ += fmt::format("#define {}_{} {}U\n", prefix_, name, value);
    }
    void define(const std::string& name, const std::vector<NamedSize>& sizes) {
        define(name + "_COUNT", sizes.size());
        for (std::size_t i = 0U; i < sizes.size(); ++i) {
            define(fmt::format("{}_{}_BYTES", name, i), sizes[i].size_bytes);
        }
    }
    // C99 has no assertion at compile time: an array of -1 elements does not compile.
    void require(const std::string& name, const std::string& what) {
        text_ += fmt::format("typedef char {}_{}[({}) ? 1 : -1];\n", prefix_, name, what);
    }
    [[nodiscard]] const std::string& text() const noexcept { return text_; }

  private:
    std::string prefix_;
    std::string text_;
};

void add_sizes(const MemoryManifest& manifest, Macros& macros) {
    macros.comment("Flash.");
    macros.define("FLASH_BYTES", manifest.file_bytes);
    macros.define("ALIGNMENT_BYTES", kFileAlignmentBytes);
    macros.comment("RAM of a 32-bit core, as the C++ runtime counts it; pianola.h has the storage that C needs.");
    for (const RamPart& part : manifest.ram) {
        macros.define(upper_case(part.name) + "_BYTES", part.bytes);
    }
    macros.define("SUBMIT_POLL_STACK_BYTES", kSubmitPollStackBytes);
    macros.define("LOAD_STACK_BYTES", kLoadStackBytes);
    macros.comment("Device memory.");
    macros.define("DRAM_USED_BYTES", manifest.dram_used_bytes);
    macros.define("L1_USED_BYTES", manifest.l1_used_bytes);
    macros.define("TRACE_REGION_USED_BYTES", manifest.trace_region_used_bytes);
    macros.comment("One step.");
    macros.define("INPUT", manifest.inputs);
    macros.define("OUTPUT", manifest.outputs);
    macros.define("INPUTS_BYTES", manifest.input_bytes);
    macros.define("OUTPUTS_BYTES", manifest.output_bytes);
    for (std::size_t i = 0U; i < manifest.rings.size(); ++i) {
        macros.define(fmt::format("QUEUE_{}_SETUP_WORDS", i), manifest.rings[i].setup_words);
        macros.define(fmt::format("QUEUE_{}_STEP_WORDS", i), manifest.rings[i].step_words);
    }
    macros.define("STEP_CYCLES", manifest.step_cycles);
    macros.define("STEP_DEADLINE_US", manifest.step_deadline_us);
    macros.define("SETUP_DEADLINE_US", manifest.setup_deadline_us);
}

void add_windows(const MemoryManifest& manifest, Macros& macros) {
    macros.comment("What a protection unit opens: offset and size, and the same as a naturally aligned power of two.");
    for (const MemoryWindow& each : manifest.windows) {
        const std::string name = upper_case(each.name) + "_WINDOW_";
        macros.define(name + "OFFSET", each.offset_bytes);
        macros.define(name + "BYTES", each.size_bytes);
        macros.define(name + "POW2_OFFSET", each.pow2_offset_bytes);
        macros.define(name + "POW2_BYTES", each.pow2_size_bytes);
    }
}

// What the storage in C must hold on a 32-bit core; elsewhere sizes differ.
std::string holds(const char* type, std::uint32_t bytes) {
    return fmt::format("(sizeof(void*) != 4U) || (sizeof({}) >= {}U)", type, bytes);
}

}  // namespace

std::string manifest_as_c_header(const MemoryManifest& manifest) {
    const Capacities& capacities = *manifest.device.capacities;
    Macros macros{upper_case(manifest.symbol)};
    add_sizes(manifest, macros);
    add_windows(manifest, macros);
    macros.comment("Does not compile: made by a pianola of another version, or for another profile. Make it anew.");
    macros.require("PROFILE_FITS", fmt::format("PNL_PROFILE == {}U", capacities.number));
    macros.require("SESSION_FITS", holds("pnl_session_t", session_bytes32(capacities)));
    macros.require("WORKSPACE_FITS", holds("pnl_workspace_t", plan_workspace_bytes32(capacities)));
    macros.require("VERDICT_FITS", holds("pnl_verdict_t", kVerdictBytes32));
    macros.require("INPUTS_FIT", fmt::format("{}U <= PNL_MAX_INPUTS", manifest.inputs.size()));
    macros.require("OUTPUTS_FIT", fmt::format("{}U <= PNL_MAX_OUTPUTS", manifest.outputs.size()));
    return fmt::format(
        "/* Memory manifest of {0}; made by pianola size --header --language c99, do not edit.\n"
        " * docs/reference/manifest.md explains it. */\n"
        "#ifndef PIANOLA_MANIFEST_{1}_H\n#define PIANOLA_MANIFEST_{1}_H\n\n"
        "#include \"pianola.h\"\n"
        "{2}\n#endif\n",
        base_name_in_source(manifest.file), upper_case(manifest.symbol), macros.text());
}

}  // namespace pianola::cli
