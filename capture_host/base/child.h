// Programs of others that a command runs, and the files that it exchanges with them.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

namespace pianola::files {

// An empty folder that goes away with everything in it.
class TemporaryFolder {
  public:
    TemporaryFolder();  // throws FileError
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] std::string file(const char* name) const { return (path_ / name).string(); }
    [[nodiscard]] std::string name() const { return path_.string(); }

  private:
    std::filesystem::path path_;
};

// The program cannot be started. what() is the system's reason.
class NotStarted : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// SIGINT or SIGTERM came while a program ran, which has been ended. main() ends the process by the same signal, once
// all objects of its callers are gone.
class Interrupted : public std::runtime_error {
  public:
    explicit Interrupted(int signal) : std::runtime_error{"interrupted"}, signal_{signal} {}
    [[nodiscard]] int signal() const noexcept { return signal_; }

  private:
    int signal_;
};

// While it lives, SIGINT and SIGTERM wait: for run_program(), or for the end of this object. Threads that are started
// meanwhile leave them to this one.
class HeldSignals {
  public:
    HeldSignals();
    ~HeldSignals();
    HeldSignals(const HeldSignals&) = delete;
    HeldSignals& operator=(const HeldSignals&) = delete;

    // A signal that has come, after at most that long; 0 for none.
    [[nodiscard]] int wait(std::chrono::milliseconds most) const;
    // The signals that were held before.
    [[nodiscard]] const sigset_t& earlier() const noexcept { return earlier_; }

  private:
    sigset_t held_{};
    sigset_t earlier_{};
};

// Runs a program to its end, with standard output joined to standard error, because ours is for results. Returns its
// exit code; a program that a signal ends counts as failed. Throws NotStarted.
[[nodiscard]] int run_program(const std::vector<std::string>& command);

struct Ended {
    int code{0};
    bool is_late{false};  // it was ended, because the time was up
};
// The same, with all that it prints in a file, and without input. Throws NotStarted, and Interrupted.
[[nodiscard]] Ended run_program(const std::vector<std::string>& command, const std::string& output_file,
                                std::chrono::seconds limit, const HeldSignals& held);

}  // namespace pianola::files
