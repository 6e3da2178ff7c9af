#include "capture_host/base/child.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <system_error>

#include "pianola_host/files.h"

namespace pianola::files {
namespace {

// What a program is started with.
class Start {
  public:
    Start() {
        (void)posix_spawn_file_actions_init(&actions_);
        (void)posix_spawnattr_init(&attributes_);
    }
    ~Start() {
        (void)posix_spawn_file_actions_destroy(&actions_);
        (void)posix_spawnattr_destroy(&attributes_);
    }
    Start(const Start&) = delete;
    Start& operator=(const Start&) = delete;

    void join(int from, int to) { (void)posix_spawn_file_actions_adddup2(&actions_, from, to); }
    void open(int descriptor, const char* name, int flags) {
        constexpr mode_t kMode = 0600;
        (void)posix_spawn_file_actions_addopen(&actions_, descriptor, name, flags, kMode);
    }
    void hold(const sigset_t& signals) {
        (void)posix_spawnattr_setsigmask(&attributes_, &signals);
        (void)posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK);
    }

    [[nodiscard]] pid_t run(const std::vector<std::string>& command) const {
        std::vector<std::string> storage{command};  // posix_spawnp() wants pointers that are not const
        std::vector<char*> arguments;
        arguments.reserve(storage.size() + 1U);
        for (std::string& each : storage) {
            arguments.push_back(each.data());
        }
        arguments.push_back(nullptr);
        pid_t child = 0;
        const int spawned = posix_spawnp(&child, arguments[0], &actions_, &attributes_, arguments.data(), environ);
        if (spawned != 0) {
            throw NotStarted{std::generic_category().message(spawned)};
        }
        return child;
    }

  private:
    posix_spawn_file_actions_t actions_{};
    posix_spawnattr_t attributes_{};
};

int code_of(int state) {
    return WIFEXITED(state) ? WEXITSTATUS(state) : EXIT_FAILURE;
}

int wait_for(pid_t child) {
    int state = 0;
    while ((waitpid(child, &state, 0) == -1) && (errno == EINTR)) {
    }
    return code_of(state);
}

}  // namespace

TemporaryFolder::TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "pianola-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw FileError{"can not make a temporary folder: " + name};
    }
    path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    (void)std::filesystem::remove_all(path_, ignored);
}

HeldSignals::HeldSignals() {
    (void)sigemptyset(&held_);
    (void)sigaddset(&held_, SIGINT);
    (void)sigaddset(&held_, SIGTERM);
    (void)pthread_sigmask(SIG_BLOCK, &held_, &earlier_);
}

HeldSignals::~HeldSignals() {
    (void)pthread_sigmask(SIG_SETMASK, &earlier_, nullptr);
}

int HeldSignals::wait(std::chrono::milliseconds most) const {
    const timespec time{0, std::chrono::duration_cast<std::chrono::nanoseconds>(most).count()};
    const int signal = sigtimedwait(&held_, nullptr, &time);
    return (signal > 0) ? signal : 0;
}

int run_program(const std::vector<std::string>& command) {
    Start start;
    start.join(STDERR_FILENO, STDOUT_FILENO);
    return wait_for(start.run(command));
}

Ended run_program(const std::vector<std::string>& command, const std::string& output_file, std::chrono::seconds limit,
                  const HeldSignals& held) {
    constexpr std::chrono::milliseconds kPause{5};
    Start start;
    start.open(STDIN_FILENO, "/dev/null", O_RDONLY);
    start.open(STDOUT_FILENO, output_file.c_str(), O_WRONLY | O_CREAT | O_TRUNC);
    start.join(STDOUT_FILENO, STDERR_FILENO);
    start.hold(held.earlier());
    const pid_t child = start.run(command);
    const auto end = std::chrono::steady_clock::now() + limit;
    for (;;) {
        const int signal = held.wait(kPause);
        int state = 0;
        const bool has_ended = waitpid(child, &state, WNOHANG) == child;
        const bool is_late = std::chrono::steady_clock::now() > end;
        if (!has_ended && ((signal != 0) || is_late)) {
            (void)kill(child, SIGKILL);
            (void)wait_for(child);
        }
        if (signal != 0) {
            throw Interrupted{signal};
        }
        if (has_ended || is_late) {
            return {code_of(state), !has_ended};
        }
    }
}

}  // namespace pianola::files
