#include "docs/examples/board/benchmark_protocol.h"

#include <cstring>

#include "hal/boards/common/semihosting.h"

namespace pianola::benchmark {
namespace {

using semihosting::print;
using semihosting::print_number;

constexpr char kEndOfCommand = '%';
constexpr const char* kNewLine = "\r\n";
constexpr std::uint32_t kDefaultRepeats = 1U;
constexpr std::uint32_t kDefaultWarmUps = 10U;
constexpr std::uint8_t kNoDigit = 0xFFU;

bool is(Span<const char> word, const char* text) noexcept {
    const std::size_t length = std::strlen(text);  // NOLINT(pianola-misra-21.2.2): DEV-062
    return (word.size() == length) && (std::memcmp(word.data(), text, length) == 0);
}

void print(const char* before, std::uint64_t number, const char* after) noexcept {
    print(before);
    print_number(number);
    print(after);
}

void refuse(const char* reason) noexcept {
    print("e-[");
    print(reason);
    print("]\r\n");
}

// What the host has sent, with '?' for what would break the line of the answer.
void refuse_unknown(Span<const char> word) noexcept {
    std::array<char, kMaxCommandBytes + 1U> text{};
    for (std::size_t i = 0U; (i < word.size()) && (i < kMaxCommandBytes); ++i) {
        const char each = word[i];
        const bool is_plain = (each > ' ') && (each <= '~') && (each != '[') && (each != ']');
        text[i] = is_plain ? each : '?';
    }
    print("e-[Unknown command: ");
    print(text.data());
    print("]\r\n");
}

// A decimal number up to `most`, of at most 9 digits.
bool read_number(Span<const char> word, std::uint32_t most, std::uint32_t& number) noexcept {
    constexpr std::size_t kMostDigits = 9U;
    if (word.empty() || (word.size() > kMostDigits)) {
        return false;
    }
    std::uint32_t value = 0U;
    for (const char each : word) {
        if ((each < '0') || (each > '9')) {
            return false;
        }
        // NOLINTNEXTLINE(pianola-misra-7.0.3): DEV-061
        value = (value * 10U) + static_cast<std::uint32_t>(each - '0');
    }
    number = value;
    return value <= most;
}

std::uint8_t hex_digit(char each) noexcept {
    if ((each >= '0') && (each <= '9')) {
        return static_cast<std::uint8_t>(each - '0');  // NOLINT(pianola-misra-7.0.3): DEV-061
    }
    if ((each >= 'a') && (each <= 'f')) {
        return static_cast<std::uint8_t>((each - 'a') + 10);  // NOLINT(pianola-misra-7.0.3): DEV-061
    }
    if ((each >= 'A') && (each <= 'F')) {
        return static_cast<std::uint8_t>((each - 'A') + 10);  // NOLINT(pianola-misra-7.0.3): DEV-061
    }
    return kNoDigit;
}

void print_byte(const char* before, std::uint8_t byte) noexcept {
    constexpr std::array<char, 17U> kDigits{"0123456789abcdef"};
    const std::array<char, 3U> text{kDigits[byte >> 4U], kDigits[byte & 0xFU], '\0'};
    print(before);
    print(text.data());
}

void print_lap(std::uint64_t time_us) noexcept {
    print("m-lap-us-", time_us, kNewLine);
}

void print_help() noexcept {
    print(
        "help         : print this\r\n"
        "name         : print the device's name\r\n"
        "profile      : print the protocol's version, the model and its tensors\r\n"
        "timestamp    : print the time in microseconds\r\n"
        "db load N    : expect an input of N bytes\r\n"
        "db HH[HH]*   : its next bytes\r\n"
        "db print [N] [OFFSET]: print N of the bytes that are loaded\r\n"
        "infer N [W]  : N inferences after W more (10) that are not timed\r\n"
        "results      : print the results of the last inference\r\n");
}

}  // namespace

void Protocol::begin() noexcept {
    print("m-timestamp-mode-performance\r\n");
    print_lap(model_.now_us());
    print("m-init-done\r\nm-ready\r\n");
}

void Protocol::take(char character) noexcept {
    if (character == kEndOfCommand) {
        answer();
        print("m-ready\r\n");
        length_ = 0U;
        is_too_long_ = false;
    } else if ((character == '\r') || (character == '\n')) {
        // A terminal adds these.
    } else if (length_ < command_.size()) {
        command_[length_] = character;
        ++length_;
    } else {
        is_too_long_ = true;
    }
}

Protocol::Words Protocol::split() const noexcept {
    Words words;
    const Span<const char> command{command_.data(), length_};
    std::size_t start = 0U;
    for (std::size_t i = 0U; i <= length_; ++i) {
        if ((i < length_) && (command[i] != ' ')) {
            continue;
        }
        if (i > start) {
            words.are_too_many = words.count == Words::kMost;
            if (words.are_too_many) {
                break;
            }
            words.word[words.count] = command.subspan(start, i - start);
            ++words.count;
        }
        start = i + 1U;
    }
    return words;
}

void Protocol::answer() noexcept {
    if (is_too_long_) {
        print("e-[Command is longer than ", kMaxCommandBytes, " characters]\r\n");
        return;
    }
    const Words words = split();
    if (words.count == 0U) {
        refuse("Command is empty");
    } else if (words.are_too_many) {
        print("e-[Command has more than ", Words::kMost, " words]\r\n");
    } else {
        answer(words);
    }
}

void Protocol::answer(const Words& words) noexcept {
    const Word command = words.word[0];
    if (is(command, "name")) {
        print("m-name-dut-[");
        print(model_.device_name());
        print("]\r\n");
    } else if (is(command, "timestamp")) {
        print_lap(model_.now_us());
    } else if (is(command, "profile")) {
        print("m-profile-[Pianola, commands of ULPMark for tinyML Firmware V0.0.1]\r\nm-model-[");
        print(model_.model_name());
        print("]\r\n");
        model_.print_tensors();
    } else if (is(command, "help")) {
        print_help();
    } else if (is(command, "db")) {
        data(words);
    } else if (is(command, "infer")) {
        infer(words);
    } else if (is(command, "results")) {
        print_results();
    } else {
        refuse_unknown(command);
    }
}

void Protocol::data(const Words& words) noexcept {
    const Word what = words.word[1];
    if (words.count < 2U) {
        refuse("Command 'db' requires a subcommand");
    } else if (is(what, "load")) {
        start_load(words);
    } else if (is(what, "print")) {
        print_input(words);
    } else {
        load_bytes(what);
    }
}

void Protocol::start_load(const Words& words) noexcept {
    std::uint32_t bytes = 0U;
    if (words.count < 3U) {
        refuse("Command 'db load' requires the # of bytes");
    } else if (!read_number(words.word[2], static_cast<std::uint32_t>(input_.size()), bytes) || (bytes == 0U)) {
        print("e-[Command 'db load' must be 1 to ", input_.size(), " bytes]\r\n");
    } else {
        expected_ = bytes;
        loaded_ = 0U;
        has_results_ = false;  // a mean square needs the input
        print("m-[Expecting ", bytes, " bytes]\r\n");
    }
}

void Protocol::load_bytes(Word digits) noexcept {
    if (loaded_ == expected_) {
        refuse("No 'db load' before these bytes, or all are loaded");
        return;
    }
    if ((digits.size() % 2U) != 0U) {
        refuse("Insufficient number of hex digits");
        return;
    }
    for (const char each : digits) {
        if (hex_digit(each) == kNoDigit) {
            refuse("Invalid hex digit");
            return;
        }
    }
    // As the protocol says, digits after the last byte are disregarded.
    for (std::size_t i = 0U; (i < digits.size()) && (loaded_ < expected_); i += 2U) {
        const std::uint32_t high = hex_digit(digits[i]);
        input_[loaded_] = static_cast<std::uint8_t>((high << 4U) | hex_digit(digits[i + 1U]));
        ++loaded_;
    }
    if (loaded_ == expected_) {
        print("m-load-done\r\n");
    }
}

void Protocol::print_input(const Words& words) const noexcept {
    constexpr std::size_t kBytesOfLine = 8U;
    const auto loaded = static_cast<std::uint32_t>(loaded_);
    std::uint32_t offset = 0U;
    if ((words.count > 3U) && !read_number(words.word[3], loaded, offset)) {
        print("e-[Offset must be 0 to ", loaded, "]\r\n");
        return;
    }
    std::uint32_t count = loaded - offset;
    if ((words.count > 2U) && !read_number(words.word[2], loaded - offset, count)) {
        print("e-[Number of bytes must be 0 to ", loaded - offset, "]\r\n");
        return;
    }
    for (std::size_t i = 0U; i < count; ++i) {
        print_byte(((i % kBytesOfLine) == 0U) ? "m-buffer-" : "-", input_[offset + i]);
        if (((i + 1U) == count) || (((i + 1U) % kBytesOfLine) == 0U)) {
            print(kNewLine);
        }
    }
}

void Protocol::infer(const Words& words) noexcept {
    std::uint32_t repeats = kDefaultRepeats;
    std::uint32_t warm_ups = kDefaultWarmUps;
    if (words.count > 3U) {
        refuse("Command 'infer' takes two numbers");
    } else if ((words.count > 1U) && (!read_number(words.word[1], kMaxRepeats, repeats) || (repeats == 0U))) {
        print("e-[Inference iterations must be 1 to ", kMaxRepeats, "]\r\n");
    } else if ((words.count > 2U) && !read_number(words.word[2], kMaxRepeats, warm_ups)) {
        print("e-[Inference warmup must be 0 to ", kMaxRepeats, "]\r\n");
    } else if ((loaded_ != input_.size())) {
        print("e-[Input has ", input_.size(), " bytes, ");
        print("", loaded_, " are loaded]\r\n");
    } else {
        measure(repeats, warm_ups);
    }
}

void Protocol::measure(std::uint32_t repeats, std::uint32_t warm_ups) noexcept {
    model_.load(input_);
    bool is_done = true;
    print("m-warmup-start-", warm_ups, kNewLine);
    for (std::uint32_t i = 0U; is_done && (i < warm_ups); ++i) {
        is_done = model_.infer();
    }
    print("m-warmup-done\r\n");
    print("m-infer-start-", repeats, kNewLine);
    // Both times are printed afterwards: no time of the console is measured.
    const std::uint64_t start_us = model_.now_us();
    for (std::uint32_t i = 0U; is_done && (i < repeats); ++i) {
        is_done = model_.infer();
    }
    const std::uint64_t end_us = model_.now_us();
    has_results_ = is_done;
    if (!is_done) {
        refuse("Inference failed: reset the device");
        return;
    }
    print_lap(start_us);
    print_lap(end_us);
    print("m-infer-done\r\n");
    print_results();
}

void Protocol::print_results() const noexcept {
    if (!has_results_) {
        refuse("No inference has completed");
        return;
    }
    print("m-results-[");
    model_.print_results();
    print("]\r\n");
}

}  // namespace pianola::benchmark
