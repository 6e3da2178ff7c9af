// pianola diff: what changes if one binary replaces another.

#include "capture_host/binary/diff.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "capture_host/cli/binary_file.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/file_list.h"
#include "capture_host/cli/json_text.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/terminal.h"
#include "pianola_host/manifest.h"

namespace pianola::cli {
namespace {

struct DiffArguments {
    std::string before;
    std::string after;
    std::string plugin;
    std::vector<std::string> fail_on;
    bool json{false};
};

std::vector<std::string> class_names() {
    std::vector<std::string> names;
    for (std::size_t i = 0U; i < diff::kClassCount; ++i) {
        names.emplace_back(diff::class_name(static_cast<diff::Class>(i)));
    }
    return names;
}

diff::Side side_of(const WellFormedFile& open) {
    const bool is_known = capture::to_string(open.image.target().device_family) == open.file.device().family;
    return {open.file.bytes(), open.image, is_known ? &open.file.target() : nullptr};
}

nlohmann::json to_json(const DiffArguments& arguments, const std::vector<diff::Difference>& all,
                       const std::set<std::string>& classes) {
    return {{"before", arguments.before},
            {"after", arguments.after},
            {"equal", all.empty()},
            {"classes", classes},
            {"changes", json_list(all, [](const diff::Difference& each) -> nlohmann::json {
                 return {{"class", diff::class_name(each.kind)},
                         {"where", each.where},
                         {"before", each.before},
                         {"after", each.after}};
             })}};
}

std::string differences_text(const nlohmann::json& json) {
    const std::string before = files::readable(json.at("before").get<std::string>());
    const std::string after = files::readable(json.at("after").get<std::string>());
    if (json.at("equal").get<bool>()) {
        return fmt::format("{} and {}: the same bytes\n", before, after);
    }
    std::string text;
    std::string last;
    for (const nlohmann::json& each : json.at("changes")) {
        const auto name = each.at("class").get<std::string>();
        text += (name == last) ? std::string{} : (paint(stdout, Colour::kName, name) + "\n");
        text += fill("  {where}\n    - {before}\n    + {after}\n", each);
        last = name;
    }
    return text + fmt::format("{} changes from {} to {}, in: ", json.at("changes").size(), before, after) +
           fill("{classes}\n", json);
}

int compare(const DiffArguments& arguments) {
    if ((arguments.before == kStandardInput) && (arguments.after == kStandardInput)) {
        throw CliError{kUsage, "before and after: standard input can be read once only",
                       "store one of the two in a file, and name that"};
    }
    const WellFormedFile before{arguments.before, arguments.plugin};
    const WellFormedFile after{arguments.after, arguments.plugin};
    const std::vector<diff::Difference> all = diff::differences(side_of(before), side_of(after));
    std::set<std::string> classes;
    for (const diff::Difference& each : all) {
        classes.insert(diff::class_name(each.kind));
    }
    const nlohmann::json json = to_json(arguments, all, classes);
    print_result(arguments.json, json, differences_text(json));
    const bool fails = std::any_of(classes.begin(), classes.end(), [&arguments](const std::string& each) {
        return arguments.fail_on.empty() ||
               (std::find(arguments.fail_on.begin(), arguments.fail_on.end(), each) != arguments.fail_on.end());
    });
    return fails ? kDifferentBinaries : kDone;
}

}  // namespace

void add_diff(CLI::App& app, Action& action) {
    const auto [command, arguments] =
        add_command(app, action, "diff", "Shows what changes where one binary takes the place of another", compare);
    command->footer(
        "Examples:\n"
        "  pianola diff released.ptb candidate.ptb\n"
        "  pianola diff released.ptb candidate.ptb --fail-on memory,timing,security-version\n"
        "  pianola diff released.ptb candidate.ptb --json\n\n"
        "Exit code 0: the same bytes, or no difference of a class of --fail-on; 1: different. Both files must be "
        "whole\n"
        "and well-formed; `verify` says whether a target takes them. docs/reference/diff.md describes the classes.");
    add_text(*command, "before", arguments->before, kReads, "Trace binary; - is standard input")->required();
    add_text(*command, "after", arguments->after, kReads, "Trace binary to compare it with; - is standard input")
        ->required();
    command
        ->add_option("--fail-on", arguments->fail_on,
                     "Classes whose differences end with exit code 1; several with commas. Default: all")
        ->delimiter(',')
        ->allow_extra_args(false)
        ->check(CLI::IsMember(class_names()));
    add_plugin_option(*command, arguments->plugin);
    command->add_flag("--json", arguments->json, "Print the differences as JSON");
}

}  // namespace pianola::cli
