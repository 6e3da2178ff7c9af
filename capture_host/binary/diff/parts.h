// Declarations that the sources of diff.h share.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <vector>

#include "capture_host/binary/diff/diff.h"
#include "pianola_host/manifest.h"

namespace pianola::diff {

inline constexpr const char* kNothing = "-";

// Collects differences.
class Found {
  public:
    void add(Class kind, const std::string& where, const std::string& before, const std::string& after) {
        if (before != after) {
            list_.push_back({kind, where, before, after});
        }
    }
    template <typename Number>
    void compare(Class kind, const std::string& where, Number before, Number after) {
        add(kind, where, fmt::format("{}", before), fmt::format("{}", after));
    }
    // Compares lists of texts entry by entry, up to the shorter length.
    void compare_lists(Class kind, const std::string& where, const std::vector<std::string>& before,
                       const std::vector<std::string>& after);

    [[nodiscard]] bool has(Class kind) const;
    [[nodiscard]] std::vector<Difference>& list() noexcept { return list_; }

  private:
    std::vector<Difference> list_;
};

// One operator of a trace and its commands.
struct OperatorCommands {
    std::string trace;
    std::string name;                // "3 CONV_2D"; a second one of the same name has "#2" at its end
    std::vector<std::string> kinds;  // of its commands
    std::vector<std::vector<std::uint32_t>> words;
    std::vector<DecodedCommand> decoded;
};
[[nodiscard]] std::vector<OperatorCommands> operators_of(const Side& side, const capture::Manifest& manifest);

// The constants that commands read, by operator, command and operand: "3 CONV_2D: conv2d filter".
using Constants = std::map<std::string, std::vector<std::uint8_t>>;
[[nodiscard]] Constants constants_of(const Side& side, const capture::Manifest& manifest,
                                     const std::vector<OperatorCommands>& operators);

void compare_programs(const Side& before, const Side& after, const capture::Manifest& old_manifest,
                      const capture::Manifest& new_manifest, Found& found);

}  // namespace pianola::diff
