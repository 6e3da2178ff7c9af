// ImportError: why a model cannot be imported.
//
// Thrown by everything in capture_host/tflite; import_model() throws nothing else because of a file's contents. The CLI
// prints what() and exits with its code for unsupported models.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pianola::tflite {

// One defect.
struct Finding {
    std::optional<std::uint32_t> operator_index;  // none: the file or graph as a whole, or one of its inputs or outputs
    std::string operator_name;
    std::string tensor;  // the operand at fault, or else the operator's first output; may be empty
    std::string missing;

    // "operator 3 (SVDF): not supported".
    [[nodiscard]] std::string text() const {
        return operator_index.has_value()
                   ? ("operator " + std::to_string(*operator_index) + " (" + operator_name + "): " + missing)
                   : missing;
    }
};

// Has at least one finding; what() has a line for each.
class ImportError : public std::runtime_error {
  public:
    explicit ImportError(const std::string& missing) : ImportError{{Finding{{}, {}, {}, missing}}} {}
    ImportError(std::uint32_t operator_index, const std::string& operator_name, const std::string& missing,
                const std::string& tensor = {})
        : ImportError{{Finding{operator_index, operator_name, tensor, missing}}} {}
    explicit ImportError(std::vector<Finding> findings)
        : std::runtime_error(lines(findings)), findings_{std::move(findings)} {}

    [[nodiscard]] const std::vector<Finding>& findings() const noexcept { return findings_; }

    // The first finding's operator.
    [[nodiscard]] std::optional<std::uint32_t> operator_index() const { return findings_.at(0U).operator_index; }
    [[nodiscard]] const std::string& operator_name() const { return findings_.at(0U).operator_name; }
    [[nodiscard]] const std::string& missing() const { return findings_.at(0U).missing; }

  private:
    static std::string lines(const std::vector<Finding>& findings) {
        std::string text;
        for (const Finding& finding : findings) {
            text += (text.empty() ? "" : "\n") + finding.text();
        }
        return text;
    }

    std::vector<Finding> findings_;
};

}  // namespace pianola::tflite
