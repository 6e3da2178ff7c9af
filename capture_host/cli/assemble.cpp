#include "capture_host/cli/assemble.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "capture_host/cli/cli.h"

namespace pianola::cli {
namespace {

// A folder of our own that goes away with everything in it.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "pianola-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw files::FileError{"can not make a temporary folder: " + name};
        }
        path_ = name;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        (void)std::filesystem::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }
    [[nodiscard]] std::string name() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

// Runs a program to its end, with standard output joined to standard error, because ours is for results. Returns its
// exit code; a program that a signal ends counts as failed.
int run_program(const std::vector<std::string>& command) {
    std::vector<std::string> storage{command};  // posix_spawnp() wants pointers that are not const
    std::vector<char*> arguments;
    arguments.reserve(storage.size() + 1U);
    for (std::string& each : storage) {
        arguments.push_back(each.data());
    }
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t actions{};
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    pid_t child = 0;
    const int spawned = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (spawned != 0) {
        throw CliError{kUsage, fmt::format("--compiler {}: can not be run: {}", command[0],
                                           std::generic_category().message(spawned))};
    }
    int state = 0;
    while ((waitpid(child, &state, 0) == -1) && (errno == EINTR)) {
    }
    return WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_FAILURE;
}

}  // namespace

std::vector<std::uint8_t> assemble(const std::string& compiler, const std::vector<std::string>& flags,
                                   const std::string& text, ByteSpan binary) {
    const TemporaryFolder folder;
    // The very bytes that were verified, whatever happens to the user's file meanwhile.
    files::store_file(folder.file(kIncludedName), std::vector<std::uint8_t>{binary.begin(), binary.end()});
    const std::string source = folder.file("binary.s");
    const std::string object = folder.file("binary.o");
    files::store_file(source, text);

    std::vector<std::string> command{compiler};
    command.insert(command.end(), flags.begin(), flags.end());
    for (const std::string& each :
         {std::string{"-c"}, std::string{"-I"}, folder.name(), std::string{"-o"}, object, source}) {
        command.push_back(each);
    }
    const int code = run_program(command);
    if (code != EXIT_SUCCESS) {
        throw CliError{kUsage, fmt::format("--compiler {}: ended with exit code {}", compiler, code)};
    }
    return files::load_file(object);
}

}  // namespace pianola::cli
