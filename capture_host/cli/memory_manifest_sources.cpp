// The memory manifest as sources for a target's build: C++ header, C99 header and linker fragment.

#include <fmt/format.h>

#include "capture_host/cli/memory_manifest.h"
#include "pianola/config.h"
#include "pianola/footprint.h"

namespace pianola::cli {
namespace {

std::uint64_t number(const nlohmann::json& json, const char* path) {
    return json.at(nlohmann::json::json_pointer{path}).get<std::uint64_t>();
}
std::string text(const nlohmann::json& json, const char* member) {
    return json.at(member).get<std::string>();
}

std::uint64_t sum_of(const nlohmann::json& sizes) {
    std::uint64_t bytes = 0U;
    for (const nlohmann::json& each : sizes) {
        bytes += number(each, "/bytes");
    }
    return bytes;
}

// In the C locale.
std::string upper_case(const std::string& name) {
    std::string result = name;
    for (char& each : result) {
        each = ((each >= 'a') && (each <= 'z')) ? static_cast<char>(each - 'a' + 'A') : each;
    }
    return result;
}

// "shared_state" is "SharedState".
std::string camel(const std::string& name) {
    std::string result;
    bool starts = true;
    for (const char each : name) {
        result += starts ? upper_case(std::string{each}) : std::string{each == '_' ? "" : std::string{each}};
        starts = each == '_';
    }
    return result;
}

// A header in the making. Constants are named once for both languages: "flash_bytes" is kFlashBytes in C++, and
// SYMBOL_FLASH_BYTES in C.
class Header {
  public:
    virtual ~Header() = default;
    virtual void comment(const char* for_cpp, const char* for_c) = 0;
    virtual void constant(const std::string& name, std::uint64_t value) = 0;
    // "input" or "output", and what each of them takes.
    virtual void sizes(const std::string& name, const nlohmann::json& sizes) = 0;
    [[nodiscard]] const std::string& contents() const noexcept { return contents_; }

  protected:
    std::string contents_;
};

class CppHeader : public Header {
  public:
    void comment(const char* for_cpp, const char* /*for_c*/) override {
        contents_ += fmt::format("{}// {}\n", contents_.empty() ? "" : "\n", for_cpp);
    }
    void constant(const std::string& name, std::uint64_t value) override {
        contents_ += fmt::format("inline constexpr {} k{} = {}U;\n",
                                 (name == "step_cycles") ? "std::uint64_t" : "std::uint32_t", camel(name), value);
    }
    void sizes(const std::string& name, const nlohmann::json& sizes) override {
        std::string values;
        for (const nlohmann::json& each : sizes) {
            values += fmt::format("{}{}U", values.empty() ? "" : ", ", number(each, "/bytes"));
        }
        contents_ += fmt::format("inline constexpr std::array<std::uint32_t, {}> k{}Bytes{{{}}};\n", sizes.size(),
                                 camel(name), values);
    }
    // A line of code, or a comment within a group.
    void line(const std::string& code) { contents_ += code + "\n"; }
};

class C99Header : public Header {
  public:
    explicit C99Header(std::string prefix) : prefix_{std::move(prefix)} {}

    void comment(const char* /*for_cpp*/, const char* for_c) override {
        contents_ += fmt::format("\n/* {} */\n", for_c);
    }
    void constant(const std::string& name, std::uint64_t value) override {
        contents_ += fmt::format("#define {}_{} {}U\n", prefix_, upper_case(name), value);
    }
    void sizes(const std::string& name, const nlohmann::json& sizes) override {
        constant(name + "_count", sizes.size());
        for (std::size_t i = 0U; i < sizes.size(); ++i) {
            constant(fmt::format("{}_{}_bytes", name, i), number(sizes[i], "/bytes"));
        }
    }
    // C99 has no assertion at compile time: an array of -1 elements does not compile.
    void require(const char* name, const std::string& condition) {
        contents_ += fmt::format("typedef char {}_{}[({}) ? 1 : -1];\n", prefix_, name, condition);
    }
    // The storage in C must hold as much on a 32-bit core; elsewhere sizes differ.
    void require_bytes(const char* name, const char* type, std::uint32_t bytes) {
        require(name, fmt::format("(sizeof(void*) != 4U) || (sizeof({}) >= {}U)", type, bytes));
    }

  private:
    std::string prefix_;
};

void add_constants(const MemoryManifest& manifest, Header& header) {
    const nlohmann::json& json = manifest.json;
    const auto add = [&](const char* name, const char* path) { header.constant(name, number(json, path)); };
    header.comment("Flash.", "Flash.");
    add("flash_bytes", "/flash/bytes");
    header.constant("alignment_bytes", kFileAlignmentBytes);
    header.comment("RAM of a 32-bit core.",
                   "RAM of a 32-bit core, as the C++ runtime counts it; pianola.h has the storage that C needs.");
    for (const RamPart& part : manifest.ram) {
        header.constant(part.name + "_bytes", part.bytes);
    }
    add("submit_poll_stack_bytes", "/stack/submit_poll_bytes");
    add("load_stack_bytes", "/stack/load_bytes");
    header.comment("Device memory.", "Device memory.");
    add("dram_used_bytes", "/device/dram_used_bytes");
    add("l1_used_bytes", "/device/l1_used_bytes");
    add("trace_region_used_bytes", "/device/trace_region_used_bytes");
    header.comment("One step.", "One step.");
    header.sizes("input", json.at("inputs"));
    header.sizes("output", json.at("outputs"));
}

void add_step(const nlohmann::json& json, Header& header) {
    std::size_t queue = 0U;
    for (const nlohmann::json& ring : json.at("rings").at("queues")) {
        header.constant(fmt::format("queue_{}_setup_words", queue), number(ring, "/setup_words"));
        header.constant(fmt::format("queue_{}_step_words", queue), number(ring, "/step_words"));
        queue += 1U;
    }
    for (const char* const name : {"step_cycles", "step_deadline_us", "setup_deadline_us"}) {
        header.constant(name, json.at("time").at(name).get<std::uint64_t>());
    }
}

// Calls add(name, value) for each number of a window: "Flash_window_offset".
template <typename Add>
void for_each_number_of(const nlohmann::json& window, const Add& add) {
    for (const char* const member : {"offset", "bytes", "pow2_offset", "pow2_bytes"}) {
        add(fmt::format("{}_window_{}", text(window, "name"), member), window.at(member).get<std::uint64_t>());
    }
}

void add_assertions(const MemoryManifest& manifest, CppHeader& header) {
    // `condition` must be true on a 32-bit core; elsewhere sizes differ.
    const auto require = [&header](const std::string& condition) {
        header.line(fmt::format("static_assert((sizeof(void*) != 4U) || ({}));", condition));
    };
    header.comment("Not true means: made by a pianola of another version. Make it anew.", "");
    require(fmt::format("::pianola::kCapacities.intervals == {}U",
                        manifest.device.capacities->intervals));  // another PIANOLA_PROFILE
    for (const RamPart& part : manifest.ram) {
        require(fmt::format("sizeof({}) == k{}Bytes", part.type, camel(part.name)));
    }
    header.line(
        fmt::format("static_assert(::pianola::kFileAlignmentBytes == kAlignmentBytes);\n"
                    "static_assert(kFlashBytes <= ::pianola::kMaxFileBytes);\n"
                    "static_assert({}U <= ::pianola::kMaxRegions);\n"
                    "static_assert(kInputBytes.size() <= ::pianola::kMaxInputs);\n"
                    "static_assert(kOutputBytes.size() <= ::pianola::kMaxOutputs);\n"
                    "static_assert({}U <= ::pianola::kMaxQueues);",
                    manifest.json.at("regions").size(), manifest.json.at("rings").at("queues").size()));
}

}  // namespace

std::string manifest_as_header(const MemoryManifest& manifest) {
    const nlohmann::json& json = manifest.json;
    const std::string symbol = text(json, "symbol");
    CppHeader header;
    add_constants(manifest, header);
    add_step(json, header);
    if (!manifest.device_constant.empty()) {
        header.comment("The device that the binary is for.", "");
        header.line(manifest.device_constant.substr(0U, manifest.device_constant.rfind('\n')));
    }
    header.comment(
        "What a protection unit opens while this binary's slot runs: offset in its memory and size, in units of 64\n"
        "// bytes, and as a naturally aligned power of two (PMSAv7).",
        "");
    for (const nlohmann::json& window : json.at("windows")) {
        header.line(fmt::format("// {}, {}", text(window, "memory"),
                                (text(window, "access") == "read") ? "read only" : "read and write"));
        for_each_number_of(window, [&](const std::string& name, std::uint64_t value) { header.constant(name, value); });
    }
    add_assertions(manifest, header);
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
        "namespace pianola::manifest::{1} {{\n\n"
        "{3}"
        "\n}}  // namespace pianola::manifest::{1}\n",
        base_name_in_source(text(json, "file")), symbol, includes, header.contents());
}

std::string manifest_as_c_header(const MemoryManifest& manifest) {
    const nlohmann::json& json = manifest.json;
    const Capacities& capacities = *manifest.device.capacities;
    const std::string prefix = upper_case(text(json, "symbol"));
    C99Header header{prefix};
    add_constants(manifest, header);
    header.constant("inputs_bytes", sum_of(json.at("inputs")));
    header.constant("outputs_bytes", sum_of(json.at("outputs")));
    add_step(json, header);
    header.comment("",
                   "What a protection unit opens: offset and size, and the same as a naturally aligned power of two.");
    for (const nlohmann::json& window : json.at("windows")) {
        for_each_number_of(window, [&](const std::string& name, std::uint64_t value) { header.constant(name, value); });
    }
    header.comment("", "Does not compile: made by a pianola of another version, or for another profile. Make it anew.");
    header.require("PROFILE_FITS", fmt::format("PNL_PROFILE == {}U", capacities.number));
    header.require_bytes("SESSION_FITS", "pnl_session_t", session_bytes32(capacities));
    header.require_bytes("WORKSPACE_FITS", "pnl_workspace_t", plan_workspace_bytes32(capacities));
    header.require_bytes("VERDICT_FITS", "pnl_verdict_t", kVerdictBytes32);
    header.require("INPUTS_FIT", fmt::format("{}U <= PNL_MAX_INPUTS", json.at("inputs").size()));
    header.require("OUTPUTS_FIT", fmt::format("{}U <= PNL_MAX_OUTPUTS", json.at("outputs").size()));
    return fmt::format(
        "/* Memory manifest of {0}; made by pianola size --header --language c99, do not edit.\n"
        " * docs/reference/manifest.md explains it. */\n"
        "#ifndef PIANOLA_MANIFEST_{1}_H\n#define PIANOLA_MANIFEST_{1}_H\n\n"
        "#include \"pianola.h\"\n"
        "{2}\n#endif\n",
        base_name_in_source(text(json, "file")), prefix, header.contents());
}

std::string manifest_as_linker_fragment(const MemoryManifest& manifest) {
    const nlohmann::json& json = manifest.json;
    const std::string file = base_name_in_source(text(json, "file"));
    std::string fragment = fmt::format("/* Memory manifest of {}; made by pianola size --ld, do not edit. */\n", file);
    std::string prefix = "PIANOLA_";
    const auto define = [&](const std::string& name, std::uint64_t value) {
        fragment += fmt::format("{}{} = {};\n", prefix, upper_case(name), value);
    };
    fragment += "\n/* Of this version of Pianola, and of the device: the same for all binaries of one device. */\n";
    define("alignment_bytes", kFileAlignmentBytes);
    for (const RamPart& part : manifest.ram) {
        if (part.is_placed) {
            define(part.name + "_bytes", part.bytes);
        }
    }
    define("submit_poll_stack_bytes", number(json, "/stack/submit_poll_bytes"));
    define("load_stack_bytes", number(json, "/stack/load_bytes"));
    for (const char* const name : {"dram_bytes", "l1_bytes", "trace_region_bytes"}) {
        define(fmt::format("device_{}", name), json.at("device").at(name).get<std::uint64_t>());
    }
    fragment += fmt::format("\n/* Of {}. */\n", file);
    prefix += upper_case(text(json, "symbol")) + "_";
    define("flash_bytes", number(json, "/flash/bytes"));
    define("input_bytes", sum_of(json.at("inputs")));
    define("output_bytes", sum_of(json.at("outputs")));
    for (const char* const name : {"dram_used_bytes", "l1_used_bytes", "trace_region_used_bytes"}) {
        define(name, json.at("device").at(name).get<std::uint64_t>());
    }
    for (const nlohmann::json& window : json.at("windows")) {
        for_each_number_of(window, define);
    }
    return fragment;
}

}  // namespace pianola::cli
