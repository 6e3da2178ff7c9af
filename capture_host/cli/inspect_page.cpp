// The page of `pianola inspect --html`.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "capture_host/base/chart.h"
#include "capture_host/base/page.h"
#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/trace_walk.h"
#include "capture_host/binary/verify.h"
#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/facts.h"
#include "capture_host/cli/inspect.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/verify.h"
#include "capture_host/timeline/picture.h"
#include "capture_host/timeline/step.h"
#include "hal/host/device_numbers.h"
#include "pianola/development_config.h"
#include "pianola_host/manifest.h"

namespace pianola::cli {
namespace {

using pages::Chart;
using pages::escape;
using pages::grouped;
using pages::Table;
using Align = Table::Align;

constexpr std::size_t kMostRows = 6U;  // of buffers that share bytes, in a picture

std::string region_style(RegionKind kind) {
    static const std::map<RegionKind, std::size_t> kHues{
        {RegionKind::kWeights, 0U}, {RegionKind::kActivation, 1U}, {RegionKind::kShared, 2U}, {RegionKind::kOutput, 3U},
        {RegionKind::kState, 4U},   {RegionKind::kInput, 7U},      {RegionKind::kTrace, 10U}};
    const auto found = kHues.find(kind);
    return pages::hue_class((found != kHues.end()) ? found->second : (pages::kHues - 1U));
}

// "input 0, output 1": the tensors that lie in a buffer.
std::string bound_to(const capture::Manifest& manifest, std::size_t buffer) {
    std::string text;
    const auto note = [&](const char* what, const std::vector<capture::ManifestTensor>& tensors) {
        for (std::size_t i = 0U; i < tensors.size(); ++i) {
            const bool is_here =
                (buffer >= tensors[i].buffer) && ((buffer - tensors[i].buffer) < tensors[i].buffer_count);
            text += is_here ? fmt::format("{}{} {}", text.empty() ? "" : ", ", what, i) : std::string{};
        }
    };
    note("input", manifest.inputs);
    note("output", manifest.outputs);
    return text;
}

// A memory of the device, and the indices of the regions that say that they are in it, by address.
struct Memory {
    std::string name;
    MemoryKind kind{MemoryKind::kUnspecified};
    std::uint64_t base{0U};
    std::uint64_t bytes{0U};
    std::vector<std::size_t> regions;

    [[nodiscard]] double place_of(std::uint64_t address) const {
        const std::uint64_t inside = std::clamp(address, base, base + bytes) - base;
        return pages::fraction(inside, bytes);
    }
};

std::vector<Memory> memories_of(const capture::Manifest& manifest) {
    const capture::ManifestTarget& target = manifest.target;
    std::vector<Memory> memories{{"DRAM", MemoryKind::kDram, target.dram_base, target.dram_bytes, {}},
                                 {"L1", MemoryKind::kL1, target.l1_base, target.l1_bytes, {}}};
    if (target.file_bytes != 0U) {
        memories.push_back({"file", MemoryKind::kFile, target.file_base, target.file_bytes, {}});
    }
    for (Memory& memory : memories) {
        for (std::size_t i = 0U; i < manifest.regions.size(); ++i) {
            if (manifest.regions[i].memory == memory.kind) {
                memory.regions.push_back(i);
            }
        }
        std::sort(memory.regions.begin(), memory.regions.end(), [&](std::size_t left, std::size_t right) {
            return std::pair{manifest.regions[left].base, left} < std::pair{manifest.regions[right].base, right};
        });
    }
    return memories;
}

class MapDrawing {
  public:
    MapDrawing(const capture::Manifest& manifest, const Memory& memory)
        : manifest_{manifest},
          memory_{memory},
          chart_{"map-" + memory.name, "Memory map: " + memory.name,
                 fmt::format("{} bytes from {}, to scale; below, each region with its buffers, and free memory",
                             grouped(memory.bytes), pages::address_text(memory.base))} {}

    std::string draw() {
        draw_scale();
        std::uint64_t at = memory_.base;
        for (const std::size_t region : memory_.regions) {
            const std::uint64_t base = manifest_.regions[region].base;
            if (base > at) {
                draw_free(at, base);
            }
            draw_region(region);
            at = std::max(at, base + manifest_.regions[region].size_bytes);
        }
        if (at < (memory_.base + memory_.bytes)) {
            draw_free(at, memory_.base + memory_.bytes);
        }
        return chart_.svg(y_);
    }

  private:
    void draw_scale() {
        constexpr double kHeight = 26.0;
        chart_.line_of_text(13.0, {fmt::format("{}: {} bytes, to scale", memory_.name, grouped(memory_.bytes))});
        chart_.box({0.0, 1.0, 20.0, kHeight}, "free");
        for (const std::size_t index : memory_.regions) {
            const capture::ManifestRegion& region = manifest_.regions[index];
            const Chart::Box box{memory_.place_of(region.base),
                                 memory_.place_of(std::uint64_t{region.base} + region.size_bytes), 20.0, kHeight};
            chart_.box(box, region_style(region.kind), tooltip(region));
            chart_.label(box, {region.name});
        }
        y_ = 20.0 + kHeight + 12.0;
    }

    [[nodiscard]] static std::string tooltip(const capture::ManifestRegion& region) {
        return fmt::format("{}: {}, {} bytes from {}", region.name, name_of(region.kind), grouped(region.size_bytes),
                           pages::address_text(region.base));
    }

    void draw_free(std::uint64_t from, std::uint64_t to) {
        constexpr double kHeight = 20.0;
        chart_.box({0.0, 1.0, y_, kHeight}, "free");
        chart_.fitted({0.012, 1.0, y_, kHeight},
                      {fmt::format("free: {} bytes from {}", grouped(to - from), pages::address_text(from))}, "faint");
        y_ += kHeight + 3.0;
    }

    void draw_region(std::size_t index) {
        constexpr double kText = 36.0;
        constexpr double kRow = 9.0;
        const capture::ManifestRegion& region = manifest_.regions[index];
        const std::vector<std::vector<std::size_t>> rows = rows_of(index);
        const double height = kText + (static_cast<double>(rows.size()) * kRow) + 5.0;
        const std::string look = region_style(region.kind);
        chart_.box({0.0, 1.0, y_, height}, "lane");
        chart_.box({0.0, 0.01, y_, height}, look);
        chart_.fitted({0.012, 1.0, y_ + 1.0, kText / 2.0}, {region.name});
        chart_.fitted({0.012, 1.0, y_ + (kText / 2.0), kText / 2.0},
                      {fmt::format("{}, {} bytes from {}", name_of(region.kind), grouped(region.size_bytes),
                                   pages::address_text(region.base))},
                      "faint");
        for (std::size_t row = 0U; row < rows.size(); ++row) {
            for (const std::size_t buffer : rows[row]) {
                draw_buffer(buffer, region, y_ + kText + (static_cast<double>(row) * kRow), look);
            }
        }
        y_ += height + 3.0;
    }

    void draw_buffer(std::size_t index, const capture::ManifestRegion& region, double top, const std::string& look) {
        constexpr double kLeft = 0.02;
        constexpr double kWidth = 0.97;
        constexpr double kSeam = 0.001;
        const capture::ManifestBuffer& buffer = manifest_.buffers[index];
        const std::uint64_t end = std::uint64_t{buffer.offset_bytes} + buffer.size_bytes;
        const double from = std::min(1.0, pages::fraction(buffer.offset_bytes, region.size_bytes));
        const double to = std::min(1.0, pages::fraction(end, region.size_bytes));
        const std::string bound = bound_to(manifest_, index);
        chart_.box(
            {kLeft + (from * kWidth), std::max(kLeft + (from * kWidth), kLeft + (to * kWidth) - kSeam), top, 7.0}, look,
            fmt::format("{}: {} bytes, {} into the region{}{}", buffer.name, grouped(buffer.size_bytes),
                        grouped(buffer.offset_bytes), bound.empty() ? "" : "; ", bound));
    }

    // Buffers that share bytes are in separate rows, as far as there are rows.
    [[nodiscard]] std::vector<std::vector<std::size_t>> rows_of(std::size_t region) const {
        std::vector<std::vector<std::size_t>> rows;
        for (std::size_t i = 0U; i < manifest_.buffers.size(); ++i) {
            if (manifest_.buffers[i].region != region) {
                continue;
            }
            const auto fits = [&](const std::vector<std::size_t>& row) {
                return std::none_of(row.begin(), row.end(), [&](std::size_t other) { return share(i, other); });
            };
            const auto row = std::find_if(rows.begin(), rows.end(), fits);
            if (row != rows.end()) {
                row->push_back(i);
            } else if (rows.size() < kMostRows) {
                rows.push_back({i});
            }
        }
        return rows;
    }

    [[nodiscard]] bool share(std::size_t left, std::size_t right) const {
        const auto end = [](const capture::ManifestBuffer& each) {
            return std::uint64_t{each.offset_bytes} + each.size_bytes;
        };
        const capture::ManifestBuffer& first = manifest_.buffers[left];
        const capture::ManifestBuffer& second = manifest_.buffers[right];
        return (first.offset_bytes < end(second)) && (second.offset_bytes < end(first));
    }

    const capture::Manifest& manifest_;
    const Memory& memory_;
    Chart chart_;
    double y_{0.0};
};

std::string table_of(const capture::Manifest& manifest) {
    Table table{"Regions and their buffers",
                {{"name", Align::kName},
                 {"kind", Align::kText},
                 {"memory", Align::kText},
                 {"address", Align::kText},
                 {"bytes", Align::kNumber},
                 {"bound to", Align::kText}}};
    for (std::size_t i = 0U; i < manifest.regions.size(); ++i) {
        const capture::ManifestRegion& region = manifest.regions[i];
        table.add({pages::swatch(region_style(region.kind)) + escape(region.name), name_of(region.kind),
                   name_of(region.memory), pages::address_text(region.base), grouped(region.size_bytes), ""});
        for (std::size_t buffer = 0U; buffer < manifest.buffers.size(); ++buffer) {
            const capture::ManifestBuffer& each = manifest.buffers[buffer];
            if (each.region == i) {
                table.add({escape(each.name), "buffer", "",
                           pages::address_text(std::uint64_t{region.base} + each.offset_bytes),
                           grouped(each.size_bytes), bound_to(manifest, buffer)});
            }
        }
    }
    return fmt::format("<details><summary>As a table: {} regions, {} buffers</summary>\n{}</details>\n",
                       manifest.regions.size(), manifest.buffers.size(), table.html());
}

// Pictures of each memory to scale, with every region and its buffers below it, and a table that says the same. Regions
// of refused files may overlap or lie outside the memory; they are shown so.
std::string memory_map(const capture::Manifest& manifest) {
    std::string pictures;
    for (const Memory& memory : memories_of(manifest)) {
        if ((memory.bytes > 0U) && !memory.regions.empty()) {
            pictures += MapDrawing{manifest, memory}.draw();
        }
    }
    return "<h2>Memory</h2>\n<p>Regions by address. The strips in them are buffers, to scale in their region; those "
           "that share bytes, at different times, lie below each other.</p>\n" +
           pictures + table_of(manifest);
}

std::string code(const std::string& text) {
    return "<code>" + escape(text) + "</code>";
}

// A program of a trace, as far as its commands can be decoded.
struct Program {
    std::string name;
    std::string kind;
    std::string commands;  // "3 conv2d, barrier"
    std::uint32_t count{0U};
    std::uint32_t words{0U};
    std::uint64_t cycles{0U};
    std::uint64_t read_bytes{0U};
    std::uint64_t written_bytes{0U};
};

class ProgramReader {
  public:
    ProgramReader(const BinaryFile& file, const capture::ManifestTrace& trace) : file_{file} {
        for (const capture::ManifestProgram& program : trace.programs) {
            programs_.push_back({program.name, {}, {}, program.command_count});
        }
    }

    // The programs of a trace's words; `refused` says what cannot be decoded.
    std::vector<Program> read(WordSpan words, std::string& refused) {
        const targets::WalkEnd end =
            targets::for_each_command(file_.target().command_set(), words,
                                      [this](std::uint32_t /*word*/, const DecodedCommand& command) { add(command); });
        if (!end.is_whole()) {
            refused = fmt::format("word {} and what follows cannot be decoded: {}", end.word, end.refused);
        }
        finish();
        return std::move(programs_);
    }

  private:
    void add(const DecodedCommand& command) {
        while ((place_ < programs_.size()) && (in_program_ >= programs_[place_].count)) {
            finish();
            place_ += 1U;
            in_program_ = 0U;
        }
        in_program_ += 1U;
        if (place_ >= programs_.size()) {
            return;  // the end of the trace
        }
        Program& program = programs_[place_];
        const std::string name = targets::command_name(file_.target(), command);
        const std::uint64_t cycles = command.cost_cycles + command.core_cycles;
        counts_[name] += 1U;
        if ((command.kind != CommandKind::kBarrier) && (longest_.empty() || (cycles > longest_cycles_))) {
            longest_ = name;
            longest_cycles_ = cycles;
        }
        program.words += command.length_words;
        program.cycles += cycles;
        for (const Extent& extent : command.extents.view()) {
            const std::uint64_t bytes = std::uint64_t{extent.size_bytes} * extent.inner.count * extent.outer.count;
            ((extent.access == Access::kWrite) ? program.written_bytes : program.read_bytes) += bytes;
        }
    }

    void finish() {
        if (place_ < programs_.size()) {
            Program& program = programs_[place_];
            for (const auto& [name, count] : counts_) {
                program.commands += fmt::format("{}{}{}", program.commands.empty() ? "" : ", ",
                                                (count == 1U) ? "" : fmt::format("{} ", count), name);
            }
            program.kind = timeline::operator_kind(program.name, longest_);
        }
        counts_.clear();
        longest_.clear();
        longest_cycles_ = 0U;
    }

    const BinaryFile& file_;
    std::vector<Program> programs_;
    std::size_t place_{0U};
    std::uint32_t in_program_{0U};
    std::map<std::string, std::uint32_t> counts_;
    std::string longest_;
    std::uint64_t longest_cycles_{0U};
};

// Kinds of all traces have their colours in the order in which they appear.
using Kinds = std::vector<std::string>;
std::string look_of(Kinds& kinds, const std::string& kind) {
    const auto found = std::find(kinds.begin(), kinds.end(), kind);
    const auto place = static_cast<std::size_t>(found - kinds.begin());
    if (found == kinds.end()) {
        kinds.push_back(kind);
    }
    return pages::hue_class(place);
}

std::string draw_programs(const std::vector<Program>& programs, std::size_t trace, Kinds& kinds) {
    constexpr double kHeight = 30.0;
    constexpr double kSeam = 0.0006;
    std::uint64_t whole = 0U;
    for (const Program& each : programs) {
        whole += each.cycles;
    }
    if (whole == 0U) {
        return {};
    }
    Chart chart{fmt::format("trace-{}", trace), fmt::format("Operators of trace {}", trace),
                "Each as wide as its cycles, in the order of the trace; the table below says the same"};
    chart.box({0.0, 1.0, 2.0, kHeight}, "lane");
    std::uint64_t at = 0U;
    for (const Program& each : programs) {
        Chart::Box box{pages::fraction(at, whole), pages::fraction(at + each.cycles, whole), 2.0, kHeight};
        box.right = std::max(box.left, box.right - kSeam);
        chart.box(
            box, look_of(kinds, each.kind),
            fmt::format("{}: {} cycles, {}", each.name, grouped(each.cycles), pages::share_text(each.cycles, whole)));
        chart.label(box, timeline::labels_of(each.name));
        at += each.cycles;
    }
    return chart.svg(kHeight + 6.0);
}

std::string program_table(const std::vector<Program>& programs, Kinds& kinds) {
    Table table{"Operators",
                {{"operator", Align::kName},
                 {"kind", Align::kName},
                 {"cycles", Align::kNumber},
                 {"commands", Align::kText},
                 {"words", Align::kNumber},
                 {"bytes read", Align::kNumber},
                 {"bytes written", Align::kNumber}}};
    for (const Program& each : programs) {
        table.add({pages::swatch(look_of(kinds, each.kind)) + escape(each.name), escape(each.kind),
                   grouped(each.cycles), escape(each.commands), grouped(each.words), grouped(each.read_bytes),
                   grouped(each.written_bytes)});
    }
    return table.html();
}

std::string traces_section(const BinaryFile& file, const Image& image, const capture::Manifest& manifest) {
    std::string section = "<h2>Traces</h2>\n";
    Kinds kinds;
    for (std::uint32_t i = 0U; i < manifest.traces.size(); ++i) {
        const capture::ManifestTrace& trace = manifest.traces[i];
        section +=
            fmt::format("<h3>Trace {}: {}</h3>\n<p>{} commands, {} words, {} cycles</p>\n", i, escape(trace.name),
                        grouped(trace.command_count), grouped(trace.word_count), grouped(trace.cost_cycles));
        if (!is_known(file, image)) {
            section += fmt::format("<p>Its commands cannot be decoded: {}</p>\n", escape(file.why_not()));
            continue;
        }
        std::string refused;
        const WordSpan words =
            image.trace_words().subspan(trace.offset_bytes / sizeof(std::uint32_t), trace.word_count);
        const std::vector<Program> programs = ProgramReader{file, trace}.read(words, refused);
        section += draw_programs(programs, i, kinds) + program_table(programs, kinds);
        section += refused.empty() ? "" : fmt::format("<p class=\"bad\">{}</p>\n", escape(refused));
    }
    return section;
}

std::string tensors_section(const nlohmann::json& inspection, const capture::Manifest& manifest) {
    Table table{"Tensors",
                {{"", Align::kText},
                 {"name", Align::kName},
                 {"type and shape", Align::kText},
                 {"scale", Align::kNumber},
                 {"zero point", Align::kNumber},
                 {"buffers", Align::kText},
                 {"on devices", Align::kText}}};
    for (const auto& [list, what] : {std::pair{"inputs", "input"}, {"outputs", "output"}}) {
        std::size_t index = 0U;
        for (const nlohmann::json& each : inspection.at(list)) {
            const auto first = each.at("buffer").get<std::uint32_t>();
            const auto count = each.at("buffers").get<std::uint32_t>();
            const std::string devices = devices_text(inspection, each.at("devices"));
            table.add({fmt::format("{} {}", what, index++), escape(each.at("name").get<std::string>()),
                       escape(type_and_shape(each)), fmt::format("{}", each.at("scale").get<float>()),
                       fill("{zero_point}", each),
                       (count == 1U) ? fmt::format("{}", first) : fmt::format("{} to {}", first, first + count - 1U),
                       devices.empty() ? devices : (devices + fill(", {placement}", each))});
        }
    }
    std::string section = "<h2>Inputs and outputs</h2>\n" + table.html();
    if (!manifest.parameters.empty()) {
        Table parameters{"Parameters",
                         {{"name", Align::kName},
                          {"kind", Align::kText},
                          {"from", Align::kNumber},
                          {"to", Align::kNumber},
                          {"multiples of", Align::kNumber},
                          {"words", Align::kNumber}}};
        for (const capture::ManifestParameter& each : manifest.parameters) {
            parameters.add({escape(each.name), name_of(each.kind), grouped(each.minimum), grouped(each.maximum),
                            grouped(each.alignment), grouped(each.points.size())});
        }
        section += parameters.html();
    }
    return section;
}

// The object of a script's command, by name.
std::string object_of(const capture::Manifest& manifest, const capture::ManifestCommand& command) {
    const auto name = [&command](const auto& list) {
        return (command.object < list.size()) ? fmt::format("{}: {}", command.object, list[command.object].name)
                                              : fmt::format("{}", command.object);
    };
    switch (command.kind) {
        case ScriptCommandKind::kWriteInput:
            return name(manifest.inputs);
        case ScriptCommandKind::kReadOutput:
            return name(manifest.outputs);
        case ScriptCommandKind::kReplayTrace:
        case ScriptCommandKind::kLoadTrace:
            return name(manifest.traces);
        case ScriptCommandKind::kWriteBuffer:
            return name(manifest.buffers);
        case ScriptCommandKind::kRecordEvent:
        case ScriptCommandKind::kWaitEvent:
        case ScriptCommandKind::kUnspecified:
        default:
            return fmt::format("{}", command.object);
    }
}

std::string scripts_section(const nlohmann::json& inspection, const capture::Manifest& manifest) {
    std::string section = "<h2>Scripts</h2>\n<p>What the host enqueues: at set-up once, then in every step.</p>\n";
    for (std::size_t number = 0U; number < manifest.scripts.size(); ++number) {
        const capture::ManifestScript& script = manifest.scripts[number];
        const nlohmann::json& commands = inspection.at("scripts").at(number).at("commands");
        Table table{name_of(script.kind),
                    {{"", Align::kNumber},
                     {"queue", Align::kNumber},
                     {"command", Align::kText},
                     {"of", Align::kName},
                     {"on devices", Align::kText}}};
        for (std::size_t i = 0U; i < script.commands.size(); ++i) {
            const capture::ManifestCommand& each = script.commands[i];
            table.add({fmt::format("{}", i), fmt::format("{}", each.queue), name_of(each.kind),
                       escape(object_of(manifest, each)), devices_text(inspection, commands.at(i).at("devices"))});
        }
        section += table.html();
    }
    return section;
}

// Rules by the first part of their id, in the order in which loading applies them.
std::string rules_table(Rule refusing) {
    struct Group {
        std::string name;
        std::uint32_t rules{0U};
        std::uint32_t applied{0U};
        bool refuses{false};
    };
    std::vector<Group> groups;
    for (std::uint16_t i = 1U; i < static_cast<std::uint16_t>(Rule::kRuleCount); ++i) {
        const std::string id = rule_id(static_cast<Rule>(i));
        const std::string name = id.substr(0U, id.find('-'));
        if (groups.empty() || (groups.back().name != name)) {
            groups.push_back({name, 0U, 0U, false});
        }
        groups.back().rules += 1U;
        groups.back().applied += applies(static_cast<Rule>(i), false) ? 1U : 0U;
        groups.back().refuses = groups.back().refuses || (static_cast<Rule>(i) == refusing);
    }
    Table table{"Rules of the validator",
                {{"rules", Align::kText}, {"number", Align::kNumber}, {"verdict", Align::kText}}};
    bool is_over = false;
    for (const Group& group : groups) {
        const char* const verdict = group.refuses ? "<span class=\"bad\">one refuses</span>"
                                    : is_over     ? "not reached"
                                                  : "<span class=\"good\">none refuses</span>";
        const std::string number = (group.applied == group.rules)
                                       ? fmt::format("{}", group.rules)
                                       : fmt::format("{} of {} applied", group.applied, group.rules);
        table.add({group.name + "-*", number, verdict});
        is_over = is_over || group.refuses;
    }
    return table.html();
}

std::string evidence_section(const std::string& evidence) {
    return evidence.empty() ? std::string{} : ("<h2>Self-tests and state</h2>\n<pre>" + escape(evidence) + "</pre>\n");
}

std::string verdict_section(const WellFormedFile& open, const Verdict& verdict, const std::string& views) {
    const auto& [file, envelope, image] = open;
    const bool is_accepted = is_ok(verdict.status);
    const bool is_signed = envelope.signature_bytes != 0U;
    const std::string signature =
        is_signed ? fmt::format("by key {}; not checked here: <code>verify --key</code> does",
                                code(to_hex(ByteSpan{envelope.key_id.data(), envelope.key_id.size()})))
                  : std::string{"not signed"};
    return "<h2>Verdict</h2>\n" +
           pages::facts({{"validator",
                          fmt::format("<span class=\"{}\">{}</span>", is_accepted ? "good" : "bad",
                                      escape(file.describe(verdict, image,
                                                           file.remedy(verdict, signing::DevelopmentTrust{}.get()))))},
                         {"signature", signature},
                         {"security version", fmt::format("{}", envelope.security_version)},
                         {"digest", code(to_hex(ByteSpan{envelope.digest.data(), envelope.digest.size()}))},
                         {"zero-copy", escape(views)}}) +
           rules_table(is_accepted ? Rule::kAccepted : verdict.rule);
}

std::string target_section(const capture::Manifest& manifest, const std::string& packing, const std::string& cost_model,
                           const std::string& plugin) {
    const capture::ManifestTarget& target = manifest.target;
    std::vector<std::pair<std::string, std::string>> lines{
        {"device", escape(target.device_family)},
        {"command set", fmt::format("0x{:08X}, version {}", target.command_set_id, target.command_set_version)},
        {"kernel library", code(to_hex(ByteSpan{target.kernel_library}))},
        {"grid", fmt::format("{} x {} cores, {} DRAM banks", target.grid_columns, target.grid_rows, target.dram_banks)},
        {"queues", fmt::format("{}, rings of {} words", target.queue_count, target.ring_words)},
        {"clock", fmt::format("{} kHz", grouped(target.clock_khz))},
        {"attests", escape(attestation_text(target.attestation))},
        {"costs", escape(costs_label(target.costs, cost_model))},
        {"profile", escape(name_of(target.profile))},
        {"weights layout", fmt::format("{}", target.weights_layout)}};
    if (!plugin.empty()) {
        lines.emplace_back("plugin", code(plugin));
    }
    if (!packing.empty()) {
        lines.emplace_back("packed for", escape(packing));
    }
    if ((target.mesh_rows * target.mesh_columns) != 1U) {
        lines.emplace_back("mesh", fmt::format("{} x {} of these devices", target.mesh_rows, target.mesh_columns));
    }
    return "<h2>Target</h2>\n" + pages::facts(lines);
}

std::string budgets(const capture::Manifest& manifest) {
    return pages::facts({{"source", fmt::format("{}, SHA-256 {}", escape(manifest.source_name),
                                                code(to_hex(ByteSpan{manifest.source_sha256})))},
                         {"captured by", escape(manifest.tool_version)},
                         {"step", fmt::format("{} cycles, deadline {} us, {} in flight", grouped(manifest.step_cycles),
                                              grouped(manifest.step_deadline_us), manifest.steps_in_flight)},
                         {"set-up", fmt::format("deadline {} us", grouped(manifest.setup_deadline_us))}});
}

}  // namespace

std::string inspect_page(const std::string& file_name, const WellFormedFile& open) {
    const capture::Manifest manifest = capture::read_manifest(open.image);
    const Judgement judgement = judge(open.file);
    const nlohmann::json inspection = inspection_to_json(open.file, open.image, judgement, false);
    const std::string title = base_name(file_name);
    const std::string body = fmt::format("<h1>{}</h1>\n<p>A trace binary of {} bytes.</p>\n", escape(title),
                                         grouped(open.file.bytes().size())) +
                             budgets(manifest) + verdict_section(open, judgement.verdict, views_text(inspection)) +
                             evidence_section(evidence_text_of(inspection)) + memory_map(manifest) +
                             tensors_section(inspection, manifest) + traces_section(open.file, open.image, manifest) +
                             scripts_section(inspection, manifest) +
                             target_section(manifest, packing_text(inspection.at("packed")),
                                            cost_model_name(open.file, open.image), open.file.plugin());
    return pages::document(title, body);
}

}  // namespace pianola::cli
