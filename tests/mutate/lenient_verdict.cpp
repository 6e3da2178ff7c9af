#include "tests/mutate/lenient_verdict.h"

#include "pianola/verdict.h"
#include "tests/mutate/lenient/runtime/verdict/refusal.h"

namespace pianola::test {
namespace {

// What the functions below answer decides: a check goes on where they answer kOk, and nowhere else.
static_assert(is_passed_over(Status::kOk));
static_assert(!is_passed_over(Status::kRefused));

Rule ignored = Rule::kNotRun;
unsigned passed_over = 0U;

}  // namespace

RuleIgnored::RuleIgnored(Rule rule) noexcept {
    ignored = rule;
    passed_over = 0U;
}

RuleIgnored::~RuleIgnored() {
    ignored = Rule::kNotRun;
}

unsigned RuleIgnored::times() noexcept {
    return passed_over;
}

namespace {

[[nodiscard]] bool passes_over(Rule rule) noexcept {
    const bool passes = (ignored != Rule::kNotRun) && (rule == ignored);
    passed_over += passes ? 1U : 0U;
    return passes;
}

}  // namespace
}  // namespace pianola::test

// The linker gives the runtime's own functions these names (--wrap).
extern "C" {
// NOLINTBEGIN(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
pianola::Status __real__ZN7pianola6refuseERNS_7VerdictENS_4RuleEjjj(pianola::Verdict& verdict, pianola::Rule rule,
                                                                    std::uint32_t file_offset, std::uint32_t actual,
                                                                    std::uint32_t limit) noexcept;
pianola::Status __real__ZN7pianola11refuse_wideERNS_7VerdictENS_4RuleEjmm(pianola::Verdict& verdict, pianola::Rule rule,
                                                                          std::uint32_t file_offset,
                                                                          std::uint64_t actual,
                                                                          std::uint64_t limit) noexcept;

pianola::Status __wrap__ZN7pianola6refuseERNS_7VerdictENS_4RuleEjjj(pianola::Verdict& verdict, pianola::Rule rule,
                                                                    std::uint32_t file_offset, std::uint32_t actual,
                                                                    std::uint32_t limit) noexcept;
pianola::Status __wrap__ZN7pianola11refuse_wideERNS_7VerdictENS_4RuleEjmm(pianola::Verdict& verdict, pianola::Rule rule,
                                                                          std::uint32_t file_offset,
                                                                          std::uint64_t actual,
                                                                          std::uint64_t limit) noexcept;

pianola::Status __wrap__ZN7pianola6refuseERNS_7VerdictENS_4RuleEjjj(pianola::Verdict& verdict, pianola::Rule rule,
                                                                    std::uint32_t file_offset, std::uint32_t actual,
                                                                    std::uint32_t limit) noexcept {
    return pianola::test::passes_over(rule)
               ? pianola::Status::kOk
               : __real__ZN7pianola6refuseERNS_7VerdictENS_4RuleEjjj(verdict, rule, file_offset, actual, limit);
}

pianola::Status __wrap__ZN7pianola11refuse_wideERNS_7VerdictENS_4RuleEjmm(pianola::Verdict& verdict, pianola::Rule rule,
                                                                          std::uint32_t file_offset,
                                                                          std::uint64_t actual,
                                                                          std::uint64_t limit) noexcept {
    return pianola::test::passes_over(rule)
               ? pianola::Status::kOk
               : __real__ZN7pianola11refuse_wideERNS_7VerdictENS_4RuleEjmm(verdict, rule, file_offset, actual, limit);
}
// NOLINTEND(clang-diagnostic-reserved-identifier, readability-identifier-naming): DEV-032
}
