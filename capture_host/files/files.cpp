#include "capture_host/files/files.h"

#include <algorithm>
#include <fstream>
#include <random>
#include <string>
#include <system_error>

#include "runtime/core/config.h"

namespace pianola::files {
namespace {

[[noreturn]] void fail_to_store(const std::filesystem::path& temporary, const std::filesystem::path& path) {
    std::error_code ignored;
    (void)std::filesystem::remove(temporary, ignored);
    throw FileError{"can not write " + path.string()};
}

// In the same folder, so that renaming can not cross file systems; random, so that two processes do not meet.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
    std::random_device random;
    std::filesystem::path temporary = path;
    temporary += ".partial-" + std::to_string(random());
    return temporary;
}

// Pipes, terminals and other devices take bytes as they come, and must not be replaced by a file of their name.
void store_in_place(const std::filesystem::path& path, std::string_view contents) {
    std::ofstream stream{path, std::ios::binary};
    stream.write(contents.data(), static_cast<std::streamsize>(contents.size()));
    stream.close();
    if (!stream) {
        throw FileError{"can not write " + path.string()};
    }
}

}  // namespace

std::vector<std::uint8_t> load_file(const std::filesystem::path& path, std::uint64_t limit_bytes) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        throw FileError{"can not read " + path.string() + ": it is a folder"};
    }
    std::ifstream stream{path, std::ios::binary | std::ios::ate};
    if (!stream) {
        throw FileError{"can not read " + path.string()};
    }
    const std::streamoff size = stream.tellg();
    if ((size < 0) || (static_cast<std::uint64_t>(size) > limit_bytes)) {
        throw FileError{"can not read " + path.string() + ": it is longer than " + std::to_string(limit_bytes) +
                        " bytes"};
    }
    std::vector<std::uint8_t> contents(static_cast<std::size_t>(size));
    stream.seekg(0);
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-010
    stream.read(reinterpret_cast<char*>(contents.data()), size);
    if (!stream) {
        throw FileError{"can not read " + path.string()};
    }
    return contents;
}

void store_file(const std::filesystem::path& path, std::string_view contents) {
    std::error_code error;
    const std::filesystem::file_status status = std::filesystem::status(path, error);
    if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status) &&
        !std::filesystem::is_directory(status)) {
        store_in_place(path, contents);
        return;
    }
    // A link stays, and what it points to is replaced.
    std::filesystem::path target = path;
    if (std::filesystem::is_symlink(path, error)) {
        target = std::filesystem::weakly_canonical(path, error);
        if (error) {
            throw FileError{"can not write " + path.string()};
        }
    }
    const std::filesystem::path temporary = temporary_name(target);
    {
        std::ofstream stream{temporary, std::ios::binary | std::ios::trunc};
        stream.write(contents.data(), static_cast<std::streamsize>(contents.size()));
        stream.close();
        if (!stream) {
            fail_to_store(temporary, path);
        }
    }
    std::filesystem::rename(temporary, target, error);
    if (error) {
        fail_to_store(temporary, path);
    }
}

void store_file(const std::filesystem::path& path, const std::vector<std::uint8_t>& contents) {
    const auto* const text =
        reinterpret_cast<const char*>(contents.data());  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): DEV-010
    store_file(path, std::string_view{text, contents.size()});
}

AlignedBytes::AlignedBytes(const std::vector<std::uint8_t>& bytes)
    : storage_(bytes.size() + kFileAlignmentBytes), size_{bytes.size()} {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    const auto address = reinterpret_cast<std::uintptr_t>(storage_.data());
    offset_ = (kFileAlignmentBytes - (address % kFileAlignmentBytes)) % kFileAlignmentBytes;
    std::copy(bytes.begin(), bytes.end(), storage_.begin() + static_cast<std::ptrdiff_t>(offset_));
}

}  // namespace pianola::files
