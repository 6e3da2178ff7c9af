// Reads and writes whole files.
//
// The only part of the host side that touches the file system. A file that is being written has another name until it
// is complete and on the disk, so that a reader never finds half of it. A key is never overwritten.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pianola/config.h"
#include "pianola/span.h"

namespace pianola::files {

// what() names the file and says what failed, and why; remedy() is the remedy, if known.
class FileError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
    FileError(const std::string& message, std::string remedy)
        : std::runtime_error{message}, remedy_{std::move(remedy)} {}
    [[nodiscard]] const std::string& remedy() const noexcept { return remedy_; }

  private:
    std::string remedy_;
};

// The file is longer than its reader takes.
class FileTooLong : public FileError {
  public:
    using FileError::FileError;
};

// A little longer than any trace binary, so that the validator itself refuses one that is too long.
inline constexpr std::uint64_t kLimitBytes = std::uint64_t{kMaxFileBytes} + (1U << 20U);
inline constexpr std::uint64_t kSmallLimitBytes = 1U << 20U;  // keys, signatures, receipts, device descriptions, logs

// Throws FileError, also for a folder, and FileTooLong, before it reads if the size is known. Pipes and devices are
// read to their end.
[[nodiscard]] std::vector<std::uint8_t> load_file(const std::filesystem::path& path,
                                                  std::uint64_t limit_bytes = kLimitBytes);
// The same for standard input.
[[nodiscard]] std::vector<std::uint8_t> load_standard_input(std::uint64_t limit_bytes = kLimitBytes);

// Replaces the file, or leaves the old one unchanged and throws FileError. On return, contents and name are on the
// disk. Links stay: their target is replaced, or made if it is missing. A pipe or a character device gets the bytes as
// they come. A file that holds a key in PEM is refused, as are folders and block devices.
void store_file(const std::filesystem::path& path, std::string_view contents);
void store_file(const std::filesystem::path& path, const std::vector<std::uint8_t>& contents);
// Makes a file that only its owner can read. Throws FileError if the name exists, even as a link that leads nowhere.
void store_new_secret(const std::filesystem::path& path, std::string_view contents);

// Throws the FileError that store_file() would throw for an existing file.
void check_replaceable(const std::filesystem::path& path);

// Whether both names mean one file or folder, by whatever links, or will once it is made. Pipes and devices are never
// the same.
[[nodiscard]] bool is_same_file(const std::filesystem::path& left, const std::filesystem::path& right);

// Bytes at an address that the runtime accepts for a trace binary: a multiple of 64.
class AlignedBytes {
  public:
    explicit AlignedBytes(const std::vector<std::uint8_t>& bytes);
    // Keeps the memory if it has room for the alignment, as that of load_file() has.
    explicit AlignedBytes(std::vector<std::uint8_t>&& bytes);

    [[nodiscard]] ByteSpan view() const noexcept { return {storage_.data() + offset_, size_}; }
    [[nodiscard]] MutableByteSpan mutable_view() noexcept { return {storage_.data() + offset_, size_}; }

  private:
    std::vector<std::uint8_t> storage_;
    std::size_t offset_{0U};
    std::size_t size_{0U};
};

}  // namespace pianola::files
