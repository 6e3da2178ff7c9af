// Graph: the buffer of each tensor of a model.
//
// It proves that the operators are in order and that each tensor has one writer, lets operators that only change a
// shape share a buffer, and decides which outputs need a copy.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "capture_host/capture/recorder.h"
#include "capture_host/tflite/model/import_error.h"
#include "capture_host/tflite/model/reader.h"

namespace pianola::tflite {

inline constexpr std::uint64_t kMaxActivationBytes =
    std::uint64_t{64} * 1024U * 1024U;  // of all computed tensors together

// A variable: its place, its first contents, and the tensor that it was first written to or read as.
struct Variable {
    std::optional<std::string> container;  // as the handles say; none if they do not
    std::optional<Tensor> initial;         // whose contents are the model's storage; none if not stated
    const Tensor* like{nullptr};
    capture::BufferId buffer{};
};

struct Variables {
    std::map<std::string, Variable> by_name;
    std::set<std::int32_t> initialised_by;  // the visited graphs
};

class Graph {
  public:
    // True for operators whose output is their first input with another shape.
    using IsAlias = bool (*)(const Operator&);

    // Checks the graph and records its inputs and outputs; see findings(). The arguments must outlive it.
    Graph(const Model& model, IsAlias is_alias, capture::Recorder& recorder);

    // All defects. If there are any, the graph serves only to look for more in sound operators.
    [[nodiscard]] const std::vector<Finding>& findings() const noexcept { return findings_; }
    // Whether the operator's operands exist, can be used, and are written in order.
    [[nodiscard]] bool is_sound(std::uint32_t operator_index) const { return sound_[operator_index]; }

    // The buffer of tensor `index`; a constant or an activation is recorded at the first call. Throws ImportError,
    // without an operator, if there is no room.
    capture::BufferId buffer_of(std::uint32_t index);

    // Memory that one operator needs between its launches. Throws ImportError, without an operator, if there is no
    // room.
    capture::BufferId add_temporary(const std::string& name, std::uint32_t size_bytes);

    // Memory that outlives steps, with its first contents. Throws ImportError, without an operator, if there is no
    // room.
    capture::BufferId add_state(const std::string& name, const std::vector<std::uint8_t>& contents);

    // The model's variables, which operators reach by name.
    [[nodiscard]] Variables& variables() noexcept { return variables_; }

    // Copies to the outputs that no operator writes; call it once, when every operator has been recorded.
    void record_output_copies();

  private:
    // A constant's place and size in the model's storage: equal buffers outside the FlatBuffer are one.
    using ConstantKey = std::pair<const std::uint8_t*, std::size_t>;

    capture::BufferId record_constant(const Tensor& tensor);
    void count_activation(std::uint64_t size_bytes);
    void add_finding(const std::string& prefix, const std::string& text);
    [[nodiscard]] std::string input_problem(std::uint32_t index) const;
    [[nodiscard]] std::string output_problem(std::uint32_t index) const;
    void check_inputs();
    void check_outputs();
    void check_operators(IsAlias is_alias);
    void check_operator(std::uint32_t index, bool is_alias);
    [[nodiscard]] bool is_state_of(const Operator& op, std::size_t position) const;

    const Model& model_;
    capture::Recorder& recorder_;
    std::vector<Finding> findings_;
    std::vector<bool> sound_;             // by operator
    std::vector<bool> usable_;            // by tensor: as an input or output of the graph
    std::vector<bool> written_;           // by tensor: constant, graph input, or output of an earlier operator
    std::vector<std::uint32_t> roots_;    // by tensor: the tensor whose buffer it shares
    std::vector<std::uint32_t> readers_;  // by root: how many operands read it, those of aliases excepted
    std::vector<std::optional<capture::BufferId>> homes_;  // by root
    std::map<ConstantKey, capture::BufferId> constants_;
    std::vector<std::pair<std::uint32_t, capture::BufferId>> outputs_;  // root and buffer of each graph output
    Variables variables_;
    std::uint64_t activation_bytes_{0U};
    std::uint64_t constant_bytes_{0U};
};

}  // namespace pianola::tflite
