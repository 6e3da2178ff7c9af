#include "pianola_host/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <random>
#include <string>
#include <system_error>
#include <utility>

#include "capture_host/base/text.h"

namespace pianola::files {
namespace {

constexpr std::size_t kPieceBytes = 65'536U;
constexpr mode_t kAllUsers = 0666U;  // the umask removes bits
constexpr mode_t kOwner = 0600U;

// The remedy for an error of the system; empty if none is known.
std::string remedy_for(int error, bool is_read) {
    switch (error) {
        case ENOENT:
        case ENOTDIR:
            return is_read ? "check the name; relative names begin in the working folder"
                           : "make the folder first, or check the name";
        case EACCES:
        case EPERM:
            return is_read ? "ask its owner for permission to read it, or work on a copy"
                           : "write to a folder of your own, or ask for permission";
        case EISDIR:
            return "give the name of a file; this is a folder";
        case ENOSPC:
        case EDQUOT:
            return "free space there, or write to another disk; what was there before is unchanged";
        case EROFS:
            return "write to a disk that is not read-only";
        case ENAMETOOLONG:
            return "give a shorter name";
        case EMFILE:
        case ENFILE:
            return "raise the limit of open files (ulimit -n)";
        default:
            return {};
    }
}

[[noreturn]] void fail(const char* what, const std::filesystem::path& path, const std::string& why,
                       const std::string& remedy) {
    throw FileError{std::string{"can not "} + what + " " + readable(path.string()) + ": " + why, remedy};
}
[[noreturn]] void fail(const char* what, const std::filesystem::path& path) {
    const int because = errno;
    fail(what, path, std::generic_category().message(because), remedy_for(because, std::string_view{what} == "read"));
}

class Descriptor {
  public:
    Descriptor(const std::filesystem::path& path, int flags, mode_t mode = 0U)
        // NOLINTNEXTLINE(cppcoreguidelines-pro-type-vararg): DEV-014
        : number_{::open(path.c_str(), flags | O_CLOEXEC, mode)} {}
    explicit Descriptor(int number) : number_{number} {}
    ~Descriptor() { (void)close(); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    [[nodiscard]] bool is_open() const { return number_ >= 0; }
    [[nodiscard]] int number() const { return number_; }
    [[nodiscard]] bool close() {
        const bool is_closed = (number_ < 0) || (::close(number_) == 0);
        number_ = -1;
        return is_closed;
    }
    // Reads at the file's position; a signal does not shorten the read.
    [[nodiscard]] ssize_t read_some(std::uint8_t* bytes, std::size_t size) const {
        ssize_t got = 0;
        do {
            got = ::read(number_, bytes, size);
        } while ((got < 0) && (errno == EINTR));
        return got;
    }
    [[nodiscard]] bool write_all(std::string_view contents) const {
        while (!contents.empty()) {
            const ssize_t put = ::write(number_, contents.data(), contents.size());
            if ((put < 0) && (errno != EINTR)) {
                return false;
            }
            contents.remove_prefix(static_cast<std::size_t>(std::max<ssize_t>(put, 0)));
        }
        return true;
    }

  private:
    int number_;
};

std::optional<struct stat> look_at(const std::filesystem::path& path) {
    struct stat found{};
    return (::stat(path.c_str(), &found) == 0) ? std::optional{found} : std::nullopt;
}

// Pipes, terminals and other devices take bytes as they come, and must not be replaced by a file of their name.
bool is_stream(const struct stat& found) {
    return S_ISFIFO(found.st_mode) || S_ISCHR(found.st_mode);
}

// The name after following links, even if the file is missing: std::filesystem does not resolve a link that leads
// nowhere.
std::filesystem::path behind_links(std::filesystem::path path) {
    constexpr int kMostLinks = 40;
    std::error_code error;
    for (int i = 0; i < kMostLinks; ++i) {
        if (!std::filesystem::is_symlink(path, error)) {
            return path;
        }
        path = path.parent_path() / std::filesystem::read_symlink(path, error);  // an absolute target replaces all
    }
    fail("write", path, "too many links", "write to the file that they should lead to");
}

// Whether a line near the file's start begins a key in PEM, private or public.
bool holds_key(const std::filesystem::path& path) {
    const Descriptor file{path, O_RDONLY};
    std::array<std::uint8_t, kPieceBytes> start{};
    const ssize_t size = file.is_open() ? file.read_some(start.data(), start.size()) : 0;
    const std::string text = "\n" + std::string{start.begin(), start.begin() + std::max<ssize_t>(size, 0)};
    constexpr std::string_view kBegin = "\n-----BEGIN ";
    for (std::size_t at = text.find(kBegin); at != std::string::npos; at = text.find(kBegin, at + 1U)) {
        const std::string line = text.substr(at + 1U, text.find('\n', at + 1U) - (at + 1U));
        if (line.find(" KEY-----") != std::string::npos) {
            return true;
        }
    }
    return false;
}

// A new name is on the disk once its folder is. Where folders cannot be synchronised, the file system does it.
void sync_folder(const std::filesystem::path& file) {
    const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
    const Descriptor descriptor{folder, O_RDONLY | O_DIRECTORY};
    if (descriptor.is_open() && (::fsync(descriptor.number()) != 0) && (errno != EINVAL)) {
        fail("write", file);
    }
}

// Makes a new file, whole and on the disk, or leaves none; complaints name it `path`.
void store_new(const std::filesystem::path& file, std::string_view contents, mode_t mode,
               const std::filesystem::path& path) {
    Descriptor descriptor{file, O_WRONLY | O_CREAT | O_EXCL, mode};
    if (!descriptor.is_open()) {
        fail("write", path);
    }
    if (!descriptor.write_all(contents) || (::fsync(descriptor.number()) != 0) || !descriptor.close()) {
        const int because = errno;
        (void)::unlink(file.c_str());
        errno = because;
        fail("write", path);
    }
}

// In the same folder, so that renaming cannot cross file systems; random, so that two processes do not collide.
std::filesystem::path temporary_name(const std::filesystem::path& path) {
    std::random_device random;
    std::filesystem::path temporary = path;
    temporary += ".partial-" + std::to_string(random());
    return temporary;
}

}  // namespace

namespace {

std::vector<std::uint8_t> load(const Descriptor& file, const std::filesystem::path& path, std::uint64_t limit_bytes) {
    const auto fail_as_too_long = [&] {
        throw FileTooLong{
            "can not read " + readable(path.string()) + ": it is longer than " + std::to_string(limit_bytes) + " bytes",
            "check that it is the file that is meant; docs/reference/cli.md gives the limits"};
    };
    struct stat found{};
    if (!file.is_open() || (::fstat(file.number(), &found) != 0)) {
        fail("read", path);
    }
    const bool is_file = S_ISREG(found.st_mode);
    if (is_file && (static_cast<std::uint64_t>(found.st_size) > limit_bytes)) {
        fail_as_too_long();
    }
    std::vector<std::uint8_t> contents;
    contents.reserve(is_file ? (static_cast<std::size_t>(found.st_size) + kFileAlignmentBytes) : 0U);  // AlignedBytes
    std::array<std::uint8_t, kPieceBytes> piece{};
    for (;;) {
        const ssize_t got = file.read_some(piece.data(), piece.size());
        if (got < 0) {
            fail("read", path);
        }
        if (got == 0) {
            return contents;
        }
        contents.insert(contents.end(), piece.begin(), piece.begin() + got);
        if (contents.size() > limit_bytes) {  // a pipe, or a file that grows
            fail_as_too_long();
        }
    }
}

}  // namespace

std::vector<std::uint8_t> load_file(const std::filesystem::path& path, std::uint64_t limit_bytes) {
    return load(Descriptor{path, O_RDONLY}, path, limit_bytes);
}

std::vector<std::uint8_t> load_standard_input(std::uint64_t limit_bytes) {
    return load(Descriptor{::dup(STDIN_FILENO)}, "standard input", limit_bytes);
}

void check_replaceable(const std::filesystem::path& path) {
    const std::optional<struct stat> found = look_at(path);
    if (found && S_ISREG(found->st_mode) && holds_key(path)) {
        fail("write", path, "it holds a key, and a key is not overwritten",
             "choose another name; remove the file first where the key is not needed any more");
    }
    if (found && !S_ISREG(found->st_mode) && !S_ISDIR(found->st_mode) && !is_stream(*found)) {
        fail("write", path, "it is neither a file nor a pipe", "give the name of a file");
    }
}

void store_file(const std::filesystem::path& path, std::string_view contents) {
    check_replaceable(path);
    const std::optional<struct stat> found = look_at(path);
    if (found && is_stream(*found)) {
        Descriptor stream{path, O_WRONLY};
        if (!stream.is_open() || !stream.write_all(contents) || !stream.close()) {
            fail("write", path);
        }
        return;
    }
    const std::filesystem::path target = behind_links(path);
    const std::filesystem::path temporary = temporary_name(target);
    store_new(temporary, contents, kAllUsers, path);
    if (::rename(temporary.c_str(), target.c_str()) != 0) {
        const int because = errno;
        (void)::unlink(temporary.c_str());
        errno = because;
        fail("write", path);
    }
    sync_folder(target);
}

void store_file(const std::filesystem::path& path, const std::vector<std::uint8_t>& contents) {
    const auto* const text =
        reinterpret_cast<const char*>(contents.data());  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): DEV-010
    store_file(path, std::string_view{text, contents.size()});
}

void store_new_secret(const std::filesystem::path& path, std::string_view contents) {
    store_new(path, contents, kOwner, path);
    sync_folder(path);
}

bool is_same_file(const std::filesystem::path& left, const std::filesystem::path& right) {
    const std::optional<struct stat> one = look_at(left);
    const std::optional<struct stat> other = look_at(right);
    if (one && other) {
        return (one->st_dev == other->st_dev) && (one->st_ino == other->st_ino) && !is_stream(*one);
    }
    const auto future_name = [](const std::filesystem::path& path) {
        std::error_code ignored;
        // Absolute first: a relative name without any existing part would stay as it is spelled.
        return std::filesystem::weakly_canonical(std::filesystem::absolute(behind_links(path)), ignored);
    };
    return !one && !other && (future_name(left) == future_name(right));
}

namespace {

// From the address to the next one that is aligned.
std::size_t distance_to_aligned(const std::uint8_t* bytes) {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-005
    const auto address = reinterpret_cast<std::uintptr_t>(bytes);
    return (kFileAlignmentBytes - (address % kFileAlignmentBytes)) % kFileAlignmentBytes;
}

// To move them to such an address.
std::vector<std::uint8_t> with_room(std::vector<std::uint8_t> bytes) {
    bytes.resize(bytes.size() + kFileAlignmentBytes);
    return bytes;
}

}  // namespace

AlignedBytes::AlignedBytes(const std::vector<std::uint8_t>& bytes)
    : storage_(bytes.size() + kFileAlignmentBytes), offset_{distance_to_aligned(storage_.data())}, size_{bytes.size()} {
    std::copy(bytes.begin(), bytes.end(), storage_.begin() + static_cast<std::ptrdiff_t>(offset_));
}

AlignedBytes::AlignedBytes(std::vector<std::uint8_t>&& bytes)
    : storage_{with_room(std::move(bytes))},
      offset_{distance_to_aligned(storage_.data())},
      size_{storage_.size() - kFileAlignmentBytes} {
    const auto end = storage_.begin() + static_cast<std::ptrdiff_t>(size_);
    std::copy_backward(storage_.begin(), end, end + static_cast<std::ptrdiff_t>(offset_));
}

}  // namespace pianola::files
