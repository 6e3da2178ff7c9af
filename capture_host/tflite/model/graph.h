// Graph: which buffer each tensor of a model lives in.
//
// Place in the whole: between the reader and the operators. It proves that the operators are in order and that each
// tensor has one writer, lets operators that only change a shape share a buffer, and decides which outputs need a copy.
// Host only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "capture_host/recorder/recorder.h"
#include "capture_host/tflite/model/reader.h"

namespace pianola::tflite {

inline constexpr std::uint64_t kMaxActivationBytes =
    std::uint64_t{64} * 1024U * 1024U;  // of all computed tensors together

class Graph {
  public:
    // True for operators whose output is their first input under another shape.
    using IsAlias = bool (*)(const Operator&);

    // Checks the graph and records its inputs and outputs. Throws ImportError. The referenced objects must outlive this
    // one.
    Graph(const Model& model, IsAlias is_alias, capture::Recorder& recorder);

    // Where tensor `index` lives; a constant or an activation is recorded the first time that somebody asks.
    // Throws ImportError, without an operator, where there is no room.
    capture::BufferId buffer_of(std::uint32_t index);

    // Room for what one operator keeps from one of its launches to the next. Throws ImportError, without an operator,
    // where there is none.
    capture::BufferId add_temporary(const std::string& name, std::uint32_t size_bytes);

    // Copies to the outputs that no operator writes; call it once, when every operator has been recorded.
    void record_output_copies();

  private:
    capture::BufferId record_constant(const Tensor& tensor);
    void check_order(IsAlias is_alias);
    void check_operator(std::uint32_t index, bool is_alias);

    const Model& model_;
    capture::Recorder& recorder_;
    std::vector<bool> written_;           // by tensor: constant, graph input, or output of an earlier operator
    std::vector<std::uint32_t> roots_;    // by tensor: the tensor whose buffer it shares
    std::vector<std::uint32_t> readers_;  // by root: how many operands read it, those of aliases excepted
    std::vector<std::optional<capture::BufferId>> homes_;               // by root
    std::map<std::uint32_t, capture::BufferId> constants_;              // by Tensor::buffer
    std::vector<std::pair<std::uint32_t, capture::BufferId>> outputs_;  // root and buffer of each graph output
    std::uint64_t activation_bytes_{0U};
    std::uint64_t constant_bytes_{0U};
};

}  // namespace pianola::tflite
