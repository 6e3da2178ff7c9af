// ImportError: why a model cannot be imported.
//
// Place in the whole: thrown by everything in capture_host/tflite, and the only thing that import_model() throws on
// account of a file's contents. The CLI prints what() and exits with its code for models that are not supported.
#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace pianola::tflite {

class ImportError : public std::runtime_error {
  public:
    // The file or graph as a whole, or one of the graph's inputs or outputs.
    explicit ImportError(const std::string& missing) : std::runtime_error(missing), missing_{missing} {}

    // One operator. what() reads "operator 3 (SVDF): not supported".
    ImportError(std::uint32_t operator_index, const std::string& operator_name, const std::string& missing)
        : std::runtime_error("operator " + std::to_string(operator_index) + " (" + operator_name + "): " + missing),
          operator_index_{operator_index},
          operator_name_{operator_name},
          missing_{missing} {}

    [[nodiscard]] std::optional<std::uint32_t> operator_index() const noexcept { return operator_index_; }
    [[nodiscard]] const std::string& operator_name() const noexcept { return operator_name_; }
    [[nodiscard]] const std::string& missing() const noexcept { return missing_; }

  private:
    std::optional<std::uint32_t> operator_index_;
    std::string operator_name_;
    std::string missing_;
};

}  // namespace pianola::tflite
