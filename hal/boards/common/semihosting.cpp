#include "hal/boards/common/semihosting.h"

#include <array>
#include <cstring>

#include "hal/arch/semihosting_call.h"

namespace pianola::semihosting {
namespace {

constexpr std::uint32_t kOpen = 0x01U;
constexpr std::uint32_t kClose = 0x02U;
constexpr std::uint32_t kWrite0 = 0x04U;
constexpr std::uint32_t kWrite = 0x05U;
constexpr std::uint32_t kRead = 0x06U;
constexpr std::uint32_t kFileLength = 0x0CU;
constexpr std::uint32_t kGetCommandLine = 0x15U;
constexpr std::uint32_t kExitExtended = 0x20U;

constexpr std::uintptr_t kModeReadBinary = 1U;
constexpr std::uintptr_t kModeWriteBinary = 5U;
constexpr std::uintptr_t kReasonApplicationExit = 0x20026U;
constexpr std::intptr_t kNoFile = -1;
constexpr std::int32_t kNotLoaded = -1;

// Argument blocks: each field is one word of the core, in this order.
struct OpenBlock {
    const char* name;
    std::uintptr_t mode;
    std::uintptr_t name_bytes;
};
struct HandleBlock {
    std::intptr_t handle;
};
struct ReadBlock {
    std::intptr_t handle;
    std::uint8_t* bytes;
    std::uintptr_t count;
};
struct WriteBlock {
    std::intptr_t handle;
    const std::uint8_t* bytes;
    std::uintptr_t count;
};
struct CommandLineBlock {
    char* text;
    std::uintptr_t size_bytes;  // in: room for the text and its zero; out: length of the text
};
struct ExitBlock {
    std::uintptr_t reason;
    std::intptr_t code;
};

std::intptr_t open_file(const char* file_name, std::uintptr_t mode) noexcept {
    const OpenBlock block{file_name, mode, std::strlen(file_name)};  // NOLINT(pianola-misra-21.2.2): DEV-062
    return call(kOpen, &block);
}

// False if the host could not close it: written data may be lost.
bool close_file(std::intptr_t handle) noexcept {
    const HandleBlock block{handle};
    return call(kClose, &block) == 0;
}

constexpr std::array<std::uint64_t, 20U> kPowersOfTen{
    10'000'000'000'000'000'000U,
    1'000'000'000'000'000'000U,
    100'000'000'000'000'000U,
    10'000'000'000'000'000U,
    1'000'000'000'000'000U,
    100'000'000'000'000U,
    10'000'000'000'000U,
    1'000'000'000'000U,
    100'000'000'000U,
    10'000'000'000U,
    1'000'000'000U,
    100'000'000U,
    10'000'000U,
    1'000'000U,
    100'000U,
    10'000U,
    1'000U,
    100U,
    10U,
    1U,
};

}  // namespace

void print(const char* text) noexcept {
    static_cast<void>(call(kWrite0, text));
}

void print_number(std::uint64_t number) noexcept {
    // By subtraction: 32-bit cores have no 64-bit division, and its library function is larger than this whole file.
    std::array<char, kPowersOfTen.size() + 1U> text{};
    std::size_t length = 0U;
    for (const std::uint64_t power : kPowersOfTen) {
        char digit = '0';
        for (std::uint32_t i = 0U; (i < 9U) && (number >= power); ++i) {
            number -= power;
            ++digit;
        }
        if ((digit != '0') || (length != 0U) || (power == 1U)) {
            text[length] = digit;
            ++length;
        }
    }
    print(text.data());
}

void print_hex(std::uint64_t number) noexcept {
    constexpr std::uint32_t kDigits = 16U;
    std::array<char, kDigits + 3U> text{'0', 'x'};
    std::size_t length = 2U;
    for (std::uint32_t i = kDigits; i > 0U; --i) {
        const std::uint32_t digit = static_cast<std::uint32_t>(number >> ((i - 1U) * 4U)) & 0xFU;
        if ((digit != 0U) || (length != 2U) || (i == 1U)) {
            // NOLINTNEXTLINE(pianola-misra-7.0.3): DEV-061
            text[length] = static_cast<char>((digit < 10U) ? ('0' + digit) : ('A' + (digit - 10U)));
            ++length;
        }
    }
    print(text.data());
}

bool ConsoleInput::open() noexcept {
    handle_ = open_file(":tt", kModeReadBinary);
    return handle_ != kNoFile;
}

bool ConsoleInput::read(char& character) noexcept {
    std::uint8_t byte = 0U;
    const ReadBlock block{handle_, &byte, 1U};
    const bool is_read = call(kRead, &block) == 0;  // number of missing bytes
    character = static_cast<char>(byte);            // NOLINT(pianola-misra-7.0.3): DEV-061
    return is_read;
}

bool command_line(Span<char> text) noexcept {
    CommandLineBlock block{text.data(), text.size()};
    return !text.empty() && (call(kGetCommandLine, &block) == 0);
}

std::int32_t load_file(const char* file_name, MutableByteSpan memory) noexcept {
    const std::intptr_t handle = open_file(file_name, kModeReadBinary);
    if (handle == kNoFile) {
        return kNotLoaded;
    }
    const HandleBlock file{handle};
    const std::intptr_t size_bytes = call(kFileLength, &file);
    bool loaded =
        (size_bytes >= 0) && (size_bytes <= INT32_MAX) && memory.contains(0U, static_cast<std::size_t>(size_bytes));
    if (loaded && (size_bytes > 0)) {
        const ReadBlock block{handle, memory.data(), static_cast<std::uintptr_t>(size_bytes)};
        loaded = call(kRead, &block) == 0;  // number of missing bytes
    }
    static_cast<void>(close_file(handle));
    return loaded ? static_cast<std::int32_t>(size_bytes) : kNotLoaded;
}

bool store_file(const char* file_name, ByteSpan memory) noexcept {
    const std::intptr_t handle = open_file(file_name, kModeWriteBinary);
    if (handle == kNoFile) {
        return false;
    }
    bool stored = true;
    if (!memory.empty()) {
        const WriteBlock block{handle, memory.data(), memory.size()};
        stored = call(kWrite, &block) == 0;  // number of missing bytes
    }
    return close_file(handle) && stored;
}

void exit(std::int32_t code) noexcept {
    const ExitBlock block{kReasonApplicationExit, code};
    static_cast<void>(call(kExitExtended, &block));
    for (;;) {  // a host that does not support the operation: loop
    }
}

}  // namespace pianola::semihosting
