#include "pianola/verdict.h"

#include <cstring>

namespace pianola {
namespace {

// Appends characters to a fixed buffer and keeps room for the terminating zero.
class Writer {
  public:
    explicit Writer(Span<char> text) noexcept : text_{text} {}

    void put(char character) noexcept {
        if ((length_ + 1U) < text_.size()) {
            text_[length_] = character;
            length_ += 1U;
        }
    }
    void put_name(const char* name) noexcept {
        const Span<const char> characters{name, std::strlen(name)};  // NOLINT(pianola-misra-21.2.2): DEV-062
        for (const char character : characters) {
            put(character);
        }
    }
    void put_number(std::uint32_t number) noexcept {
        constexpr std::uint32_t kBase = 10U;
        std::uint32_t divisor = 1U;
        while ((number / divisor) >= kBase) {
            divisor *= kBase;
        }
        for (; divisor != 0U; divisor /= kBase) {
            // NOLINTNEXTLINE(pianola-misra-7.0.3): DEV-061
            put(static_cast<char>('0' + static_cast<char>((number / divisor) % kBase)));
        }
    }
    [[nodiscard]] std::size_t finish() noexcept {
        if (!text_.empty()) {
            text_[length_] = '\0';
        }
        return length_;
    }

  private:
    Span<char> text_;
    std::size_t length_{0U};
};

}  // namespace

void FieldPath::enter(const char* name) noexcept {
    enter(name, kNoIndex);
}

void FieldPath::enter(const char* name, std::uint32_t index) noexcept {
    if (depth_ < kMaxPathSteps) {
        steps_[depth_] = Step{name, index};
        depth_ += 1U;
    }
}

std::size_t format_path(const FieldPath& path, Span<char> text) noexcept {
    Writer writer{text};
    bool first = true;
    for (const FieldPath::Step& step : path.steps()) {
        if (!first) {
            writer.put('.');
        }
        first = false;
        writer.put_name(step.name);
        if (step.index != FieldPath::kNoIndex) {
            writer.put('[');
            writer.put_number(step.index);
            writer.put(']');
        }
    }
    return writer.finish();
}

void reset(Verdict& verdict) noexcept {
    verdict = Verdict{};
}

Status refuse(Verdict& verdict, Rule rule, std::uint32_t file_offset, std::uint32_t actual,
              std::uint32_t limit) noexcept {
    return refuse_wide(verdict, rule, file_offset, actual, limit);
}

Status refuse_wide(Verdict& verdict, Rule rule, std::uint32_t file_offset, std::uint64_t actual,
                   std::uint64_t limit) noexcept {
    verdict.status = Status::kRefused;
    verdict.rule = rule;
    verdict.file_offset = file_offset;
    verdict.actual = actual;
    verdict.limit = limit;
    return Status::kRefused;
}

}  // namespace pianola
