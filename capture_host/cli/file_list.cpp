#include "capture_host/cli/file_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>
#include <utility>

#include "capture_host/cli/cli.h"
#include "capture_host/cli/complaint.h"
#include "capture_host/cli/options.h"
#include "capture_host/cli/terminal.h"
#include "pianola_host/files.h"

namespace pianola::cli {
namespace {

constexpr std::uint64_t kLimitBytesOfList = std::uint64_t{64U} << 20U;
constexpr const char* kSuffix = ".ptb";

bool is_folder(const std::string& name) {
    std::error_code ignored;
    return std::filesystem::is_directory(name, ignored);
}

std::vector<std::string> files_in_folder(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code error;
    const auto fail = [&] {
        if (error) {
            throw files::FileError{fmt::format("can not read {}: {}", files::readable(folder), error.message()),
                                   "ask for permission to list the folder and those in it, or name the files"};
        }
    };
    std::filesystem::recursive_directory_iterator entries{folder, error};
    fail();
    const std::filesystem::recursive_directory_iterator end;
    while (entries != end) {
        if ((entries->path().extension() == kSuffix) && !entries->is_directory(error)) {
            names.push_back(entries->path().string());
        }
        entries.increment(error);
        fail();
    }
    if (names.empty()) {
        throw files::FileError{
            fmt::format("can not read {}: the folder holds no file that ends in {}", files::readable(folder), kSuffix),
            "name the files themselves, or another folder"};
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> names_in_list(const std::string& list) {
    const std::vector<std::uint8_t> bytes = (list == kStandardInput) ? files::load_standard_input(kLimitBytesOfList)
                                                                     : files::load_file(list, kLimitBytesOfList);
    std::istringstream text{std::string{bytes.begin(), bytes.end()}};
    std::vector<std::string> names;
    for (std::string line; std::getline(text, line);) {
        if (!line.empty() && (line.back() == '\r')) {
            line.pop_back();
        }
        if (!line.empty() && (line.front() != '#')) {
            names.push_back(line);
        }
    }
    if (names.empty()) {
        throw files::FileError{fmt::format("can not read {}: the list names no file", files::readable(list)),
                               "put one name on each line of the list"};
    }
    return names;
}

// Equal for two names of one file.
std::string identity_of(const std::string& name) {
    if (name == kStandardInput) {
        return name;
    }
    std::error_code error;
    const std::filesystem::path absolute = std::filesystem::absolute(name, error);
    const std::filesystem::path real = error ? absolute : std::filesystem::weakly_canonical(absolute, error);
    return error ? name : real.string();
}

class ListOfFiles {
  public:
    void add_argument(const std::string& argument) {
        if (argument.front() != kListMark) {
            add_name(argument);
            return;
        }
        try {
            for (const std::string& name : names_in_list(argument.substr(1U))) {
                add_name(name);
            }
        } catch (const files::FileError&) {
            add({argument, std::current_exception()});
        }
    }

    std::vector<ListedFile> take() { return std::move(files_); }

  private:
    void add_name(const std::string& name) {
        if (!is_folder(name)) {
            add({name, nullptr});
            return;
        }
        try {
            for (const std::string& inside : files_in_folder(name)) {
                add({inside, nullptr});
            }
        } catch (const files::FileError&) {
            add({name, std::current_exception()});
        }
    }

    void add(ListedFile file) {
        if (known_.insert(identity_of(file.name)).second) {
            files_.push_back(std::move(file));
        }
    }

    std::vector<ListedFile> files_;
    std::set<std::string> known_;
};

// Throws CliError if this program's output goes to a file that a folder or a list has brought in.
void check_outputs(const std::vector<ListedFile>& files) {
    for (const auto& [output, name] :
         {std::pair{"/dev/stdout", "standard output"}, {"/dev/stderr", "standard error"}}) {
        for (const ListedFile& file : files) {
            if ((file.name != kStandardInput) && files::is_same_file(output, file.name)) {
                throw CliError{kUsage, fmt::format("{}: would be written over {}, which the command reads", name,
                                                   files::readable(file.name))};
            }
        }
    }
}

}  // namespace

void add_files_option(CLI::App& command, std::vector<std::string>& files) {
    add_text(command, "file", files, kReadsMany,
             "Trace binaries; - is standard input, a folder stands for every .ptb in it, @LIST for the lines of LIST")
        ->required();
}

bool is_one_file(const std::vector<std::string>& arguments) {
    return (arguments.size() == 1U) && (arguments.front().front() != kListMark) && !is_folder(arguments.front());
}

void ListedFile::check() const {
    if (trouble) {
        std::rethrow_exception(trouble);
    }
}

std::vector<ListedFile> expand_files(const std::vector<std::string>& arguments) {
    if (std::count(arguments.begin(), arguments.end(), kStandardInput) +
            std::count(arguments.begin(), arguments.end(), std::string{kListMark} + kStandardInput) >
        1) {
        throw CliError{kUsage, "file: standard input is named twice, and can be read once only",
                       "store it in a file, and name that"};
    }
    ListOfFiles list;
    for (const std::string& argument : arguments) {
        list.add_argument(argument);
    }
    std::vector<ListedFile> files = list.take();
    check_outputs(files);
    if (arguments.size() == 1U) {
        files.front().check();
    }
    return files;
}

int show_files(const std::vector<std::string>& arguments, bool as_json, const Shown& shown) {
    if (is_one_file(arguments)) {
        if (as_json) {
            fmt::print("{}\n", json_text(shown.json(arguments.front())));
        } else {
            shown.text(arguments.front());
        }
        return kDone;
    }
    int code = kDone;
    nlohmann::json list = nlohmann::json::array();
    for (const ListedFile& listed : expand_files(arguments)) {
        const std::string& file = listed.name;
        try {
            listed.check();
            if (as_json) {
                list.push_back(shown.json(file));
            } else {
                fmt::print("{}{}\n", code == kDone && list.empty() ? "" : "\n",
                           paint(stdout, Colour::kName, files::readable(file)));
                shown.text(file);
                list.push_back(file);
            }
        } catch (const std::exception& error) {
            const Complaint complaint = complaint_of(error);
            if (complaint.code == kUsage) {  // about the command, not about this file
                throw;
            }
            nlohmann::json entry{{"file", file}, {"error", error_to_json(complaint)}};
            entry.update(complaint.facts.is_null() ? nlohmann::json::object() : complaint.facts);
            list.push_back(std::move(entry));
            (void)std::fflush(stdout);
            print_complaint(complaint);
            code = std::max<int>(code, complaint.code);
        }
    }
    if (as_json) {
        fmt::print("{}\n", json_text({{"files", list}}));
    }
    return code;
}

}  // namespace pianola::cli
