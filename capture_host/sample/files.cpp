#include "capture_host/sample/files.h"

#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace pianola::sample {

namespace {

[[noreturn]] void fail(const std::filesystem::path& temporary, const std::filesystem::path& path) {
    std::error_code ignored;
    (void)std::filesystem::remove(temporary, ignored);
    throw FileError("cannot write " + path.string());
}

}  // namespace

void store_file(const std::filesystem::path& path, std::string_view contents) {
    std::filesystem::path temporary = path;
    temporary += ".partial";
    {
        std::ofstream stream{temporary, std::ios::binary | std::ios::trunc};
        stream.write(contents.data(), static_cast<std::streamsize>(contents.size()));
        stream.close();
        if (!stream) {
            fail(temporary, path);
        }
    }
    std::error_code error;
    std::filesystem::rename(temporary, path, error);
    if (error) {
        fail(temporary, path);
    }
}

void store_file(const std::filesystem::path& path, const std::vector<std::uint8_t>& contents) {
    store_file(path, std::string(contents.begin(), contents.end()));
}

std::vector<std::uint8_t> load_file(const std::filesystem::path& path) {
    std::ifstream stream{path, std::ios::binary};
    std::vector<std::uint8_t> contents;
    for (std::istreambuf_iterator<char> at{stream}; at != std::istreambuf_iterator<char>{}; ++at) {
        contents.push_back(static_cast<std::uint8_t>(*at));
    }
    if (!stream || stream.bad()) {
        throw FileError("cannot read " + path.string());
    }
    return contents;
}

}  // namespace pianola::sample
