// Arguments that stand for several files: names, "-", folders, and lists.
//
// `verify`, `inspect` and `size` take them, so that one call covers all binaries of a build.
#pragma once

#include <CLI/ConfigFwd.hpp>
#include <exception>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace pianola::cli {

inline constexpr const char* kStandardInput = "-";
inline constexpr char kListMark = '@';

void add_files_option(CLI::App& command, std::vector<std::string>& files);

// Whether the arguments are one file, or standard input: what is printed is then about that alone.
[[nodiscard]] bool is_one_file(const std::vector<std::string>& arguments);

// A file to look at; or a folder or list that gives none, with the reason.
struct ListedFile {
    std::string name;
    std::exception_ptr trouble;
    void check() const;  // throws the reason, a files::FileError
};

// The files in the order of the arguments: of a folder what ends in .ptb, at any depth, in the order of their names; of
// @LIST what its lines name, except empty ones and those that begin with '#'. Each file once, under the first of its
// names: however it is spelled, and through symbolic links. Throws CliError for "-" twice, and files::FileError where
// a single argument gives no files.
[[nodiscard]] std::vector<ListedFile> expand_files(const std::vector<std::string>& arguments);

// How a file is shown: as text on standard output, or as JSON.
struct Shown {
    std::function<void(const std::string& file)> text;
    std::function<nlohmann::json(const std::string& file)> json;
};
// Shows all. A file that cannot be shown does not hide the others: its complaint goes to standard error, and into the
// JSON; the exit code is the largest. One file is printed as it is, several as {"files": [...]}.
[[nodiscard]] int show_files(const std::vector<std::string>& arguments, bool as_json, const Shown& shown);

}  // namespace pianola::cli
