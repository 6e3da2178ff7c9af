// TFLite importer: records an int8 TensorFlow Lite model as launches of the reference device's kernels.
//
// The front end of `pianola capture` for models. It reads the file (reader.h), checks that every operator is one that
// the kernels reproduce bit for bit, and passes buffers and launches to a Recorder. The arguments of the launches
// follow TensorFlow Lite Micro's reference kernels with double rounding.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "capture_host/capture/recorder.h"
#include "capture_host/tflite/model/import_error.h"
#include "pianola/span.h"

namespace pianola::tflite {

// Records the model in `file` into `recorder`, which should be empty; `name` and `sha256` become its source. The file
// may be hostile: the result is a complete recording or an ImportError, after which the recorder's contents must not be
// used, and which has every operator that cannot be imported. Inputs and outputs are recorded in the model's order. An
// output which a later operator reads, which is constant, or which is an input or another output is filled by a copy,
// so that the device only ever writes outputs.
void import_model(Span<const std::uint8_t> file, const std::string& name, const std::array<std::uint8_t, 32>& sha256,
                  capture::Recorder& recorder);

}  // namespace pianola::tflite
