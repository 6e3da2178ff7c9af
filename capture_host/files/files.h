// Whole files in, whole files out.
//
// Place in the whole: the only part of the host side that touches the file system. A file that is being written has another name
// until it is complete, so that nobody ever finds half of it. Host only.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "runtime/core/span.h"

namespace pianola::files {

// what() names the file and says what could not be done.
class FileError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Throws FileError; also for a folder, and for a file longer than limit_bytes.
[[nodiscard]] std::vector<std::uint8_t> load_file(const std::filesystem::path& path,
                                                  std::uint64_t limit_bytes = std::uint64_t{1} << 30U);

// Replaces the file, or leaves the old one as it was and throws FileError. Through a link, its target. A pipe or device gets the
// bytes as they come.
void store_file(const std::filesystem::path& path, std::string_view contents);
void store_file(const std::filesystem::path& path, const std::vector<std::uint8_t>& contents);

// Bytes at an address that the runtime accepts for a trace binary: a multiple of 64.
class AlignedBytes {
  public:
    explicit AlignedBytes(const std::vector<std::uint8_t>& bytes);

    [[nodiscard]] ByteSpan view() const noexcept { return {storage_.data() + offset_, size_}; }
    [[nodiscard]] MutableByteSpan mutable_view() noexcept { return {storage_.data() + offset_, size_}; }

  private:
    std::vector<std::uint8_t> storage_;
    std::size_t offset_{0U};
    std::size_t size_{0U};
};

}  // namespace pianola::files
