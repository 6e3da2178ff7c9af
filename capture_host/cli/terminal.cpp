#include "capture_host/cli/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <mutex>
#include <string_view>
#include <thread>

#include "capture_host/cli/options.h"

namespace pianola::cli {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kBeforeTheFirst{500};
constexpr std::chrono::milliseconds kBetween{100};
constexpr std::size_t kWidth = 79U;  // a line that wraps cannot be rewritten

std::string environment(const char* name) {
    const char* const value = std::getenv(name);
    return (value == nullptr) ? std::string{} : std::string{value};
}

bool can_redraw(std::FILE* stream) {
    const std::string terminal = environment("TERM");
    return (isatty(fileno(stream)) == 1) && !terminal.empty() && (terminal != "dumb");
}

// The value of --color in the last call of the parser.
std::string& chosen_colours() {
    static std::string choice{"auto"};
    return choice;
}

}  // namespace

class Progress::Line {
  public:
    explicit Line(const std::string& what) : what_{what}, started_{Clock::now()}, drawing_{[this] { draw(); }} {}
    ~Line() {
        {
            const std::lock_guard<std::mutex> lock{mutex_};
            ends_ = true;
        }
        wake_.notify_one();
        drawing_.join();
    }
    Line(const Line&) = delete;
    Line& operator=(const Line&) = delete;

    void set(const std::string* what, std::uint64_t done, std::uint64_t all) {
        const std::lock_guard<std::mutex> lock{mutex_};
        what_ = (what == nullptr) ? what_ : *what;
        done_ = done;
        all_ = all;
    }

  private:
    [[nodiscard]] std::string text() const {
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - started_).count();
        const std::string count = (all_ == 0U) ? std::string{} : fmt::format(" {}/{}", done_, all_);
        return fmt::format("{}{}, {} s", what_, count, seconds).substr(0U, kWidth);
    }

    void draw() {
        std::unique_lock<std::mutex> lock{mutex_};
        bool is_drawn = false;
        while (!wake_.wait_for(lock, is_drawn ? kBetween : kBeforeTheFirst, [this] { return ends_; })) {
            print_error(fmt::format("\r{}\x1b[K", text()));
            (void)std::fflush(stderr);
            is_drawn = true;
        }
        if (is_drawn) {
            print_error("\r\x1b[K");
            (void)std::fflush(stderr);
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_;
    std::string what_;
    std::uint64_t done_{0U};
    std::uint64_t all_{0U};  // 0: not counted
    bool ends_{false};
    Clock::time_point started_;
    std::thread drawing_;  // last: it reads the others
};

Progress::Progress(const std::string& what) : line_{can_redraw(stderr) ? std::make_unique<Line>(what) : nullptr} {}
Progress::~Progress() = default;

void Progress::set(std::uint64_t done, std::uint64_t all) noexcept {
    if (line_ != nullptr) {
        line_->set(nullptr, done, all);
    }
}

void Progress::set(const std::string& what, std::uint64_t done, std::uint64_t all) {
    if (line_ != nullptr) {
        line_->set(&what, done, all);
    }
}

std::string without_controls(std::string message) {
    const auto is_control = [](char each) {
        return ((each >= '\0') && (each < ' ') && (each != '\n') && (each != '\t')) || (each == '\x7F');
    };
    std::replace_if(message.begin(), message.end(), is_control, '_');
    return message;
}

void print_error(const std::string& text) noexcept {
    (void)std::fputs(text.c_str(), stderr);
}

std::string paint(std::FILE* stream, Colour colour, const std::string& text) {
    const std::string& choice = chosen_colours();
    const bool shows =
        (choice == "always") || ((choice == "auto") && environment("NO_COLOR").empty() && can_redraw(stream));
    if (!shows) {
        return text;
    }
    const char* const code = (colour == Colour::kGood) ? "32" : ((colour == Colour::kBad) ? "1;31" : "1");
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

void add_color_option(CLI::App& app) {
    chosen_colours() = "auto";
    app.add_option("--color", chosen_colours(), "Colours: auto is on terminals only, and not where NO_COLOR is set")
        ->check(CLI::IsMember({"auto", "always", "never"}))
        ->capture_default_str();
}

}  // namespace pianola::cli
