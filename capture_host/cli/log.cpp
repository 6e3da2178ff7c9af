// pianola log: dumped execution logs, shown and compared.

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/options.h"

namespace pianola::cli {
namespace {

struct LogArguments {
    std::string left;
    std::string right;
    std::string plugin;
    bool json{false};
};

// A log does not name its device. It is read as one of the plugin's device, or of the registry's first without a
// plugin.
class LogReader {
  public:
    explicit LogReader(const std::string& plugin) : targets_{load_targets(plugin)} {}

    [[nodiscard]] std::vector<QueueLog> load(const std::string& file_name) const {
        const Target& target = targets_.usual();
        if (!target.offers().execution_logs) {
            throw CliError{kUsage, fmt::format("the target of device family {} has no execution logs",
                                               target.usual_device().family)};
        }
        const std::vector<std::uint8_t> dump = files::load_file(file_name, files::kSmallLimitBytes);
        std::vector<QueueLog> logs;
        const std::string wrong = target.read_execution_logs({dump.data(), dump.size()}, logs);
        if (!wrong.empty()) {
            throw CliError{kFileTrouble,
                           fmt::format("{}: not an execution log: {}", files::readable(file_name), wrong)};
        }
        return logs;
    }

  private:
    targets::Targets targets_;
};

// Two logs of one queue, compared command by command over the commands that both hold.
struct QueueComparison {
    std::uint32_t queue{0U};
    std::uint64_t first{1U};  // sequence numbers that both hold; first > last if there are none
    std::uint64_t last{0U};
    bool is_partial{false};  // commands that only one of the rings still holds could not be compared
    bool differs{false};
    std::uint64_t sequence{0U};         // of the first difference
    std::optional<LoggedCommand> left;  // at that number; nothing if the log ends before it
    std::optional<LoggedCommand> right;
};

// The first sequence number that a log holds; above `written` if it holds none.
std::uint64_t first_of(const QueueLog& log) {
    return std::uint64_t{log.written} - log.commands.size() + 1U;
}

// Two commands that the rings still hold.
bool is_same(const std::optional<LoggedCommand>& left, const std::optional<LoggedCommand>& right) {
    return left.has_value() && right.has_value() && (left->sequence == right->sequence) &&
           (left->kind == right->kind) && (left->fault == right->fault) && (left->kernel_id == right->kernel_id) &&
           (left->digest == right->digest);
}

// The command with that sequence number, if the ring still holds it.
std::optional<LoggedCommand> command_at(const QueueLog& log, std::uint64_t sequence) {
    if ((sequence < first_of(log)) || (sequence > log.written)) {
        return std::nullopt;
    }
    return log.commands.at(static_cast<std::size_t>(sequence - first_of(log)));
}

void note_difference(const QueueLog& left, const QueueLog& right, std::uint64_t sequence, QueueComparison& result) {
    result.differs = true;
    result.sequence = sequence;
    result.left = command_at(left, sequence);
    result.right = command_at(right, sequence);
}

QueueComparison compare_queue(std::uint32_t queue, const QueueLog& left, const QueueLog& right) {
    QueueComparison result;
    result.queue = queue;
    result.first = std::max(first_of(left), first_of(right));
    result.last = std::min<std::uint64_t>(left.written, right.written);
    result.is_partial = result.first > 1U;
    for (std::uint64_t sequence = result.first; sequence <= result.last; ++sequence) {
        if (!is_same(command_at(left, sequence), command_at(right, sequence))) {
            note_difference(left, right, sequence, result);
            return result;
        }
    }
    if (left.written != right.written) {  // one is longer than the other
        note_difference(left, right, std::max(result.first, result.last + 1U), result);
    }
    return result;
}

// One comparison per queue. A queue that is in one dump only counts as empty in the other.
std::vector<QueueComparison> compare_logs(const std::vector<QueueLog>& left, const std::vector<QueueLog>& right) {
    const QueueLog empty;
    std::vector<QueueComparison> comparisons;
    for (std::size_t queue = 0U; queue < std::max(left.size(), right.size()); ++queue) {
        comparisons.push_back(compare_queue(static_cast<std::uint32_t>(queue),
                                            (queue < left.size()) ? left[queue] : empty,
                                            (queue < right.size()) ? right[queue] : empty));
    }
    return comparisons;
}

std::string logged_text(const LoggedCommand& command) {
    if (command.name == nullptr) {
        return fmt::format("0x{:02X}", command.kind);
    }
    if (!command.launches) {
        return command.name;
    }
    return (command.kernel_name == nullptr) ? fmt::format("{} {}", command.name, command.kernel_id)
                                            : fmt::format("{} {}", command.name, command.kernel_name);
}

nlohmann::json logged_to_json(const LoggedCommand& command) {
    return {{"sequence", command.sequence},    {"kind", command.kind},
            {"command", logged_text(command)}, {"kernel", command.kernel_id},
            {"fault", name_of(command.fault)}, {"digest", fmt::format("{:016x}", command.digest)}};
}

std::string line_text(const nlohmann::json& command) {
    return fill("{sequence:>10}  {command:<24}  {digest}", command) +
           ((command.at("fault") == name_of(DeviceFault::kNone)) ? "" : fill("  fault: {fault}", command));
}

nlohmann::json logged_to_json(const std::optional<LoggedCommand>& command) {
    return command.has_value() ? logged_to_json(*command) : nlohmann::json{};
}

nlohmann::json log_to_json(std::size_t queue, const QueueLog& log) {
    return {
        {"queue", queue},
        {"written", log.written},
        {"commands", json_list(log.commands, [](const LoggedCommand& command) { return logged_to_json(command); })}};
}

std::string log_text(const nlohmann::json& log) {
    const nlohmann::json& commands = log.at("commands");
    std::string text =
        fill("queue {queue}: {written} commands since reset", log) +
        ((commands.size() == log.at("written")) ? "\n" : fmt::format(", the last {} are here\n", commands.size()));
    for (const nlohmann::json& command : commands) {
        text += line_text(command) + "\n";
    }
    return text;
}

int show_log(const LogArguments& arguments) {
    const std::vector<QueueLog> logs = LogReader{arguments.plugin}.load(arguments.left);
    nlohmann::json list = nlohmann::json::array();
    std::string text;
    for (std::size_t queue = 0U; queue < logs.size(); ++queue) {
        list.push_back(log_to_json(queue, logs[queue]));
        text += log_text(list.back());
    }
    print_result(arguments.json, {{"queues", list}}, text);
    return kDone;
}

// Why two commands are not the same: "kernel, digest".
std::string differing_fields(const LoggedCommand& left, const LoggedCommand& right) {
    std::string text;
    const auto add = [&text](bool differs, const char* what) {
        if (differs) {
            text += text.empty() ? what : (std::string{", "} + what);
        }
    };
    add(left.kind != right.kind, "command");
    add(left.kernel_id != right.kernel_id, "kernel");
    add(left.fault != right.fault, "fault");
    add(left.digest != right.digest, "digest");
    return text;
}

std::string side_text(const std::string& file_name, const std::optional<LoggedCommand>& command) {
    return fmt::format("  {}\n{}\n", files::readable(file_name),
                       command.has_value() ? line_text(logged_to_json(*command)) : "            (none)");
}

std::string comparison_text(const LogArguments& arguments, const QueueComparison& each) {
    const bool is_empty = each.first > each.last;
    std::string text = is_empty
                           ? fmt::format("queue {}: no command in both logs", each.queue)
                           : fmt::format("queue {}: commands {} to {} compared", each.queue, each.first, each.last);
    if (each.is_partial) {
        text += fmt::format("; those before {} are not in both rings any more", each.first);
    }
    if (!each.differs) {
        return text + ": equal\n";
    }
    const bool both = each.left.has_value() && each.right.has_value();
    text += fmt::format(": first difference at {}{}\n", each.sequence,
                        both ? (": " + differing_fields(*each.left, *each.right)) : ": one log ends before it");
    return text + side_text(arguments.left, each.left) + side_text(arguments.right, each.right);
}

nlohmann::json comparison_to_json(const QueueComparison& each) {
    nlohmann::json json{{"queue", each.queue},
                        {"compared", (each.first > each.last) ? 0U : (each.last - each.first + 1U)},
                        {"partial", each.is_partial},
                        {"equal", !each.differs}};
    if (each.differs) {
        json["difference"] = {
            {"sequence", each.sequence}, {"left", logged_to_json(each.left)}, {"right", logged_to_json(each.right)}};
    }
    return json;
}

int compare_files(const LogArguments& arguments) {
    bool equal = true;
    nlohmann::json list = nlohmann::json::array();
    std::string text;
    const LogReader reader{arguments.plugin};
    for (const QueueComparison& each : compare_logs(reader.load(arguments.left), reader.load(arguments.right))) {
        equal = equal && !each.differs;
        list.push_back(comparison_to_json(each));
        text += comparison_text(arguments, each);
    }
    print_result(arguments.json, {{"equal", equal}, {"queues", list}}, text);
    return equal ? kDone : kDifferent;
}

}  // namespace

void add_log(CLI::App& app, Action& action) {
    CLI::App* const log = app.add_subcommand("log", "Shows and compares dumped execution logs");
    log->require_subcommand(1);
    log->footer(
        "A log is the memory of a target's ExecutionLog objects as a debugger saves it (docs/reference/cli.md), or "
        "what\n"
        "`pianola run --log` writes.\n\n"
        "Examples:\n"
        "  pianola run signs.ptb --input a.bin --output b.bin --log simulator.log\n"
        "  pianola log diff simulator.log target.log\n\n"
        "diff aligns by sequence number, queue by queue, and ends with exit code 7 where the logs differ.");
    const auto [show, shown] = add_command(*log, action, "show", "Prints every command that the log holds", show_log);
    add_text(*show, "file", shown->left, kReads, "Log")->required();
    add_plugin_option(*show, shown->plugin);
    show->add_flag("--json", shown->json, "Print as JSON");
    const auto [diff, compared] =
        add_command(*log, action, "diff", "Finds the first difference between two logs, queue by queue", compare_files);
    add_text(*diff, "left", compared->left, kReads, "Log")->required();
    add_text(*diff, "right", compared->right, kReads, "Log to compare it with")->required();
    add_plugin_option(*diff, compared->plugin);
    diff->add_flag("--json", compared->json, "Print as JSON");
}

}  // namespace pianola::cli
