// Evaluate: what the replayed model said about the test pictures, against the truth.
//
// docs/examples/road_signs, after `pianola run`. Reads raw int8 outputs, so it judges what the device really computed
// and not what the trainer believes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace pianola::sample {

struct Evaluation {
    std::vector<std::string> classes;
    std::vector<std::vector<std::size_t>> confusion;  // [true class][said class]
    std::size_t correct{0U};
    std::size_t total{0U};

    [[nodiscard]] double percent() const noexcept;
};

// outputs: int8 [labels.size()][classes.size()]; the greatest wins, the first of equals. Throws std::invalid_argument
// where the sizes do not fit, there is nothing to evaluate, or a label is not a class.
[[nodiscard]] Evaluation evaluate(std::vector<std::string> classes, const std::vector<std::uint8_t>& labels,
                                  const std::vector<std::uint8_t>& outputs);

// One name per line, as labels.txt has them.
[[nodiscard]] std::vector<std::string> parse_class_names(const std::vector<std::uint8_t>& file);

// For people: accuracy and confusion matrix.
[[nodiscard]] std::string to_table(const Evaluation& evaluation);
// For programs: one JSON object.
[[nodiscard]] std::string to_json(const Evaluation& evaluation);

}  // namespace pianola::sample
