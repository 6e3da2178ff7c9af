#include "tests/fuzz/sandbox.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

namespace pianola::fuzz {

Sandbox::Sandbox() : before_{std::filesystem::current_path()} {
    std::string name = (std::filesystem::temp_directory_path() / "pianola-fuzz-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
        throw std::runtime_error{"can not make a temporary folder: " + name};
    }
    folder_ = name;
    std::filesystem::current_path(folder_);
    if ((setenv("PATH", name.c_str(), 1) != 0) || (setenv("TMPDIR", name.c_str(), 1) != 0)) {
        throw std::runtime_error{"can not change the environment"};
    }
}

Sandbox::~Sandbox() {
    std::error_code ignored;
    std::filesystem::current_path(before_, ignored);
    (void)std::filesystem::remove_all(folder_, ignored);
}

void Sandbox::write(const std::string& name, Entry& entry) const {
    // A fuzzer has no use for what waits for the disk.
    std::ofstream stream{folder_ / name, std::ios::binary};
    std::copy(entry.contents.begin(), entry.contents.end(), std::ostreambuf_iterator<char>{stream});
    stream.close();
    entry.written = std::filesystem::last_write_time(folder_ / name);
}

void Sandbox::add(const std::string& name, const std::vector<std::uint8_t>& contents) {
    Entry& entry = files_[name];
    entry.contents = contents;
    write(name, entry);
}

void Sandbox::restore() {
    std::vector<std::filesystem::path> strangers;
    for (const auto& entry : std::filesystem::directory_iterator{folder_}) {
        if (files_.count(entry.path().filename().string()) == 0U) {
            strangers.push_back(entry.path());
        }
    }
    for (const auto& stranger : strangers) {
        (void)std::filesystem::remove_all(stranger);
    }
    for (auto& [name, entry] : files_) {
        std::error_code missing;
        const auto written = std::filesystem::last_write_time(folder_ / name, missing);
        if (missing || (written != entry.written)) {
            write(name, entry);
        }
    }
}

}  // namespace pianola::fuzz
