// Files: whole files in, whole files out.
//
// Place in the whole: lowest file of capture_host/sample that knows the operating system. A file that is being written
// has another name until it is complete, so nobody ever finds half of it. Host only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <vector>

namespace pianola::sample {

// The message names the file and says what could not be done.
class FileError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Replaces the file. Throws FileError; the old file, if any, is then as it was.
void store_file(const std::filesystem::path& path, std::string_view contents);
void store_file(const std::filesystem::path& path, const std::vector<std::uint8_t>& contents);

// Throws FileError.
[[nodiscard]] std::vector<std::uint8_t> load_file(const std::filesystem::path& path);

}  // namespace pianola::sample
