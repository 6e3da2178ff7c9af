#include "capture_host/binary/remedies.h"

#include <array>
#include <cstddef>
#include <string_view>

namespace pianola {
namespace {

struct Remedy {
    std::string_view cause;
    std::string_view remedy;
};
constexpr std::size_t kRules = static_cast<std::size_t>(Rule::kRuleCount);

constexpr std::array<Remedy, kRules> make_table() {
    std::array<Remedy, kRules> table{};
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_REMEDY(name, cause, remedy) table.at(static_cast<std::size_t>(Rule::name)) = {cause, remedy};
#include "capture_host/binary/remedies.inc"
#undef PIANOLA_REMEDY
    return table;
}
constexpr std::array<Remedy, kRules> kTable = make_table();

constexpr bool is_complete() {
    for (std::size_t i = 1U; i < kRules; ++i) {  // 0 is kNotRun
        if (kTable.at(i).cause.empty() || kTable.at(i).remedy.empty()) {
            return false;
        }
    }
    return true;
}
static_assert(is_complete(), "a rule has no cause, or no remedy: add it to remedies.inc");

Remedy find(Rule rule) noexcept {
    const auto index = static_cast<std::size_t>(rule);
    return (index < kRules) ? kTable.at(index) : Remedy{};
}

}  // namespace

// Each view is a whole literal, so that its data ends with a NUL.
const char* rule_cause(Rule rule) noexcept {
    const Remedy found = find(rule);
    return found.cause.empty() ? "" : found.cause.data();
}
const char* rule_remedy(Rule rule) noexcept {
    const Remedy found = find(rule);
    return found.remedy.empty() ? "" : found.remedy.data();
}

}  // namespace pianola
