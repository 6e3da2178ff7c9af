// Tensors of an inference as dictionaries of arrays by name.
#pragma once

#include <vector>

#include "capture_host/python/bindings.h"
#include "capture_host/python/player.h"
#include "pianola_host/manifest.h"

namespace pianola::python {

inline constexpr auto kInputsType = pybind11::detail::const_name("Mapping[str, numpy.ndarray]");
inline constexpr auto kOutputsType = pybind11::detail::const_name("Dict[str, numpy.ndarray]");
using Inputs = Typed<kInputsType, pybind11::dict>;
using Outputs = Typed<kOutputsType, pybind11::dict>;

// Throws PLAYER-NAMES where two of the tensors have one name: dictionaries have one array for each. what: "input".
void require_distinct_names(const char* what, const std::vector<capture::ManifestTensor>& tensors);

// A dictionary for each record. Throws PLAYER-NAMES.
[[nodiscard]] std::vector<Outputs> named_records(const std::vector<Player::Tensors>& records,
                                                 const std::vector<capture::ManifestTensor>& tensors, const char* what);

}  // namespace pianola::python
