// Verdict: the outcome of validating a trace binary.
//
// Every stage from the envelope to the plan reports through a verdict. It names the rule, the field and the byte, so
// that host and target can be compared, and the cause can be found without a debugger.
#pragma once

#include <array>
#include <cstdint>

#include "pianola/config.h"
#include "pianola/rule.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola {

// Position in the file's structure: "traces[0].commands[17].dst". Names have static lifetime.
class FieldPath {
  public:
    static constexpr std::uint32_t kNoIndex = UINT32_MAX;

    struct Step {
        const char* name{""};
        std::uint32_t index{kNoIndex};
    };

    // Deeper steps than fit are dropped: the path then names the enclosing field.
    void enter(const char* name) noexcept;
    void enter(const char* name, std::uint32_t index) noexcept;
    [[nodiscard]] constexpr Span<const Step> steps() const noexcept { return Span<const Step>{steps_.data(), depth_}; }

  private:
    std::array<Step, kMaxPathSteps> steps_{};
    std::uint32_t depth_{0U};
};

struct Verdict {
    Status status{Status::kInternal};
    Rule rule{Rule::kNotRun};  // the rule that refuses; kAccepted after a validation that has run to completion
    FieldPath path;
    std::uint32_t flow{0U};         // kFlowAccepted once validate() has run to completion; see follow()
    std::uint32_t file_offset{0U};  // of the offending field, or of the table that has it
    std::uint64_t actual{0U};       // the file's number, if the rule compares numbers
    std::uint64_t limit{0U};        // the number that it is compared with
};

// Control-flow check: every stage of validation adds its status without a branch, so that a skipped stage, or a skipped
// failure branch, changes the sum.
[[nodiscard]] constexpr std::uint32_t follow(std::uint32_t flow, Status status) noexcept {
    constexpr std::uint32_t kPrime = 0x0100'0193U;
    return (flow ^ static_cast<std::uint32_t>(status)) * kPrime;
}
inline constexpr std::uint32_t kFlowStart = 0x1357'9BDFU;
// Envelope, authenticity, image, plan.
inline constexpr std::uint32_t kFlowAccepted =
    follow(follow(follow(follow(follow(kFlowStart, Status::kOk), Status::kOk), Status::kOk), Status::kOk), Status::kOk);

// Resets to not-run.
void reset(Verdict& verdict) noexcept;

// Writes "traces[0].commands[17].dst" and a terminating zero; truncates what does not fit. Returns the length without
// the zero.
std::size_t format_path(const FieldPath& path, Span<char> text) noexcept;

// Fill in the verdict and return Status::kRefused. The path is the verdict's own, extended by the caller. Most rules
// compare 32-bit numbers; there are many calls, so 32-bit arguments save code size.
Status refuse(Verdict& verdict, Rule rule, std::uint32_t file_offset, std::uint32_t actual = 0U,
              std::uint32_t limit = 0U) noexcept;
Status refuse_wide(Verdict& verdict, Rule rule, std::uint32_t file_offset, std::uint64_t actual,
                   std::uint64_t limit) noexcept;

}  // namespace pianola
