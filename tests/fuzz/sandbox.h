// Sandbox: a folder for a command line that does anything, in which known files stand and everything else is swept
// away.
//
// The process works in the folder, finds no programs, and keeps its temporary files there. Whoever uses it must keep
// '/' out of file names.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace pianola::fuzz {

class Sandbox {
  public:
    // Moves the process into a new folder.
    Sandbox();
    ~Sandbox();
    Sandbox(const Sandbox&) = delete;
    Sandbox& operator=(const Sandbox&) = delete;

    // A file that is there at every start.
    void add(const std::string& name, const std::vector<std::uint8_t>& contents);

    // Brings the folder back to the files that were added.
    void restore();

  private:
    struct Entry {
        std::vector<std::uint8_t> contents;
        std::filesystem::file_time_type written;
    };
    void write(const std::string& name, Entry& entry) const;

    std::filesystem::path folder_;
    std::filesystem::path before_;
    std::map<std::string, Entry> files_;
};

}  // namespace pianola::fuzz
