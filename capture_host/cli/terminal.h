// A line of progress and colours, on terminals only.
//
// Logs and pipes get neither, so that they stay clean. NO_COLOR (no-color.org), TERM=dumb and --color decide on
// colours.
#pragma once

#include <CLI/ConfigFwd.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace pianola::cli {

// One line on standard error for as long as the object lives: what is done and for how long, redrawn ten times a second
// at most. It appears once the work takes long enough to be noticed, and its destructor takes it away; print results
// after that. Counts may come from any thread.
class Progress {
  public:
    explicit Progress(const std::string& what);
    ~Progress();
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void set(std::uint64_t done, std::uint64_t all) noexcept;
    void set(const std::string& what, std::uint64_t done, std::uint64_t all);

  private:
    class Line;
    std::unique_ptr<Line> line_;  // nullptr if nothing is drawn
};

enum class Colour : std::uint8_t { kGood, kBad, kName };
// The text, coloured if the stream shows colours.
[[nodiscard]] std::string paint(std::FILE* stream, Colour colour, const std::string& text);

// A message that may hold foreign text, without control characters except tabs and line ends.
[[nodiscard]] std::string without_controls(std::string message);

// To standard error. One that is closed or full takes nothing of the result, nor of the exit code.
void print_error(const std::string& text) noexcept;

// --color, of the whole program.
void add_color_option(CLI::App& app);

}  // namespace pianola::cli
