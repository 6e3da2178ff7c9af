// The functions of the C library and of the compiler's own library that images link, against plain loops: for tests of
// the host and for boards, whose libraries are others. No heap: all happens in a piece of memory that the caller has.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pianola::library {

// Bytes of memory that the checks need.
inline constexpr std::uint32_t kMemoryBytes = 0x4000U;

// What is checked. Calls through pointers: the compiler neither replaces nor leaves out one.
struct Functions {
    void* (*copy)(void*, const void*, std::size_t);
    void* (*move)(void*, const void*, std::size_t);
    void* (*fill)(void*, int, std::size_t);
    int (*compare)(const void*, const void*, std::size_t);
    std::size_t (*length)(const void*);
    int (*compare_texts)(const void*, const void*);
    int (*compare_starts)(const void*, const void*, std::size_t);
    std::uint64_t (*quotient)(std::uint64_t, std::uint64_t);
    std::uint64_t (*remainder)(std::uint64_t, std::uint64_t);
    std::int64_t (*signed_quotient)(std::int64_t, std::int64_t);
    std::int64_t (*signed_remainder)(std::int64_t, std::int64_t);
    std::uint32_t (*narrow_quotient)(std::uint32_t, std::uint32_t);
    std::uint32_t (*narrow_remainder)(std::uint32_t, std::uint32_t);
    std::uint64_t (*shift_left)(std::uint64_t, std::uint32_t);
    std::uint64_t (*shift_right)(std::uint64_t, std::uint32_t);
    std::int64_t (*shift_signed)(std::int64_t, std::uint32_t);
};

// Those that this program is linked with. On a core of 32 bits a division of 64 is a call, at -Os a shift is, and where
// the core does not divide, every division is.
[[nodiscard]] Functions linked_functions() noexcept;

struct Result {
    std::uint32_t calls{0U};
    std::uint32_t differences{0U};
};

class Checks {
  public:
    // kMemoryBytes of memory, 8-byte aligned.
    Checks(const Functions& functions, std::uint8_t* memory) noexcept : functions_{functions}, memory_{memory} {}

    // Every length up to kEveryLength and some longer ones, at each alignment; nothing beside them may change.
    void copies() noexcept;
    void moves() noexcept;
    void fills() noexcept;
    // Equal, and different in the first, a middle and the last byte, upwards and downwards.
    void comparisons() noexcept;
    void texts() noexcept;
    // Random operands of every width, and those at the ends of the range.
    void divisions() noexcept;
    void shifts() noexcept;

    [[nodiscard]] const Result& result() const noexcept { return result_; }

  private:
    void expect(bool good) noexcept;
    [[nodiscard]] std::uint64_t random() noexcept;
    [[nodiscard]] bool is_pattern(const std::uint8_t* bytes, std::uint32_t from, std::uint32_t to,
                                  std::uint32_t shift) const noexcept;
    void copy(std::uint32_t to, std::uint32_t from, std::uint32_t length) noexcept;
    void move(std::uint32_t to, std::uint32_t from, std::uint32_t length) noexcept;
    void fill(std::uint32_t at, std::uint32_t length, int value) noexcept;
    void compare(std::uint32_t left, std::uint32_t right, std::uint32_t length) noexcept;
    void compare_text(std::uint32_t left, std::uint32_t right, std::uint32_t length) noexcept;
    void divide(std::uint64_t dividend, std::uint64_t divisor) noexcept;

    Functions functions_;
    std::uint8_t* memory_;
    Result result_;
    std::uint64_t state_{0x9E37'79B9'7F4A'7C15U};
};

// All of it.
[[nodiscard]] Result check_all(const Functions& functions, std::uint8_t* memory) noexcept;

}  // namespace pianola::library
