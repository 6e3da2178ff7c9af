#include "capture_host/cli/inspect_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string_view>

#include "capture_host/base/chart.h"
#include "capture_host/base/page.h"
#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/trace_walk.h"
#include "capture_host/binary/verify.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/evidence_text.h"
#include "capture_host/cli/inspect_parts.h"
#include "capture_host/cli/memory_map.h"
#include "capture_host/cli/packing.h"
#include "capture_host/cli/verified_file.h"
#include "capture_host/cli/verify_outcome.h"
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

    // Of a trace's words; what cannot be decoded is in `refused`.
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

std::string tensors_section(const Image& image, const capture::Manifest& manifest) {
    Table table{"Tensors",
                {{"", Align::kText},
                 {"name", Align::kName},
                 {"type and shape", Align::kText},
                 {"scale", Align::kNumber},
                 {"zero point", Align::kNumber},
                 {"buffers", Align::kText},
                 {"on devices", Align::kText}}};
    const auto add = [&](const char* what, std::uint32_t index, const TensorView& tensor,
                         const capture::ManifestTensor& entry) {
        const std::string devices = devices_text(manifest.target, entry.devices);
        table.add({fmt::format("{} {}", what, index), escape(entry.name), escape(type_and_shape(tensor)),
                   fmt::format("{}", entry.scale), fmt::format("{}", entry.zero_point),
                   (entry.buffer_count == 1U)
                       ? fmt::format("{}", entry.buffer)
                       : fmt::format("{} to {}", entry.buffer, entry.buffer + entry.buffer_count - 1U),
                   devices.empty() ? devices : fmt::format("{}, {}", devices, name_of(entry.placement))});
    };
    for (std::uint32_t i = 0U; i < image.input_count(); ++i) {
        add("input", i, image.input(i), manifest.inputs[i]);
    }
    for (std::uint32_t i = 0U; i < image.output_count(); ++i) {
        add("output", i, image.output(i), manifest.outputs[i]);
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

// What a script's command is about, by name.
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

std::string scripts_section(const capture::Manifest& manifest) {
    std::string section = "<h2>Scripts</h2>\n<p>What the host enqueues: at set-up once, then in every step.</p>\n";
    for (const capture::ManifestScript& script : manifest.scripts) {
        Table table{name_of(script.kind),
                    {{"", Align::kNumber},
                     {"queue", Align::kNumber},
                     {"command", Align::kText},
                     {"of", Align::kName},
                     {"on devices", Align::kText}}};
        for (std::size_t i = 0U; i < script.commands.size(); ++i) {
            const capture::ManifestCommand& each = script.commands[i];
            table.add({fmt::format("{}", i), fmt::format("{}", each.queue), name_of(each.kind),
                       escape(object_of(manifest, each)), devices_text(manifest.target, each.devices)});
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

std::string verdict_section(const BinaryFile& file, const Envelope& envelope, const Image& image,
                            const Judgement& judgement) {
    const Verdict& verdict = judgement.verdict;
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
                         {"zero-copy", escape(views_text(judgement))}}) +
           rules_table(is_accepted ? Rule::kAccepted : verdict.rule);
}

std::string target_section(const capture::Manifest& manifest, const std::string& packing, const std::string& plugin) {
    const capture::ManifestTarget& target = manifest.target;
    std::vector<std::pair<std::string, std::string>> lines{
        {"device", escape(target.device_family)},
        {"command set", fmt::format("0x{:08X}, version {}", target.command_set_id, target.command_set_version)},
        {"kernel library", code(to_hex(ByteSpan{target.kernel_library}))},
        {"grid", fmt::format("{} x {} cores, {} DRAM banks", target.grid_columns, target.grid_rows, target.dram_banks)},
        {"queues", fmt::format("{}, rings of {} words", target.queue_count, target.ring_words)},
        {"clock", fmt::format("{} kHz", grouped(target.clock_khz))},
        {"attests", escape(attestation_text(target.attestation))},
        {"costs", escape(costs_text(target.costs))},
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

std::string inspect_page(const std::string& file_name, const BinaryFile& file, const Envelope& envelope,
                         const Image& image) {
    const capture::Manifest manifest = capture::read_manifest(image);
    const Judgement judgement = judge(file);
    const std::string title = base_name(file_name);
    const std::string body =
        fmt::format("<h1>{}</h1>\n<p>A trace binary of {} bytes.</p>\n", escape(title), grouped(file.bytes().size())) +
        budgets(manifest) + verdict_section(file, envelope, image, judgement) +
        evidence_section(evidence_text(evidence_in(file, image, judgement))) + memory_map(manifest) +
        tensors_section(image, manifest) + traces_section(file, image, manifest) + scripts_section(manifest) +
        target_section(manifest, packing_text(packing_in(file, image)), file.plugin());
    return pages::document(title, body);
}

}  // namespace pianola::cli
