// From the sections of a capture to scripts: loops folded, events that have no effect left out, programs gathered into
// traces.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "capture_host/host/capture/call_log.h"
#include "pianola_host/workload_capture.h"

namespace pianola::host {

struct DeclaredTensor {
    BufferId id;
    std::shared_ptr<const CapturedBuffer> buffer;
    TensorDeclaration declaration;
    std::uint32_t device{0U};
    bool is_derived{false};  // not declared by the program
    // With several devices: equal for the parts of one tensor. Declared tensors are matched by their names, derived
    // ones by the buffers that the mesh allocated as one.
    // Id of the first device's buffer, and which group of transfers of that buffer this is (devices.h).
    std::pair<std::uint64_t, std::uint32_t> twin;
};
struct DeclaredParameter {
    TraceId trace;
    TraceParameter parameter;
    std::uint32_t device{0U};
};
struct DeclaredConstant {
    std::string name;
    std::uint32_t device{0U};
};
struct Declarations {
    std::vector<DeclaredTensor> inputs;
    std::vector<DeclaredTensor> outputs;
    std::map<std::uint64_t, DeclaredConstant> constants;
    std::vector<DeclaredParameter> parameters;
};

// Finds the tensor that each call of a section moves: a buffer may be several consecutive tensors. next() is called
// once for each call, in order.
class TensorCursor {
  public:
    explicit TensorCursor(const std::vector<DeclaredTensor>& tensors) : tensors_{tensors} {}
    // nullopt if the buffer is none of them; the last of them if it is moved once more.
    [[nodiscard]] std::optional<std::uint32_t> next(std::uint64_t buffer);

  private:
    const std::vector<DeclaredTensor>& tensors_;
    std::map<std::uint64_t, std::uint32_t> passed_;  // by buffer
};

// One command of a script. `object` is an index: of the input, output, trace or event.
using ScriptItem = capture::ManifestCommand;

struct ScriptTrace {
    TraceId source;  // of an executed trace
    std::string name;
    std::vector<std::uint32_t> words;
    std::vector<TraceProgramInfo> programs;
};

struct Scripts {
    // The step; before it a prologue and after it an epilogue, unless they are empty.
    std::vector<capture::ManifestScript> scripts;
    std::vector<ScriptTrace> traces;
    std::vector<const Call*> setup_writes;  // candidates: the last write of each buffer that no script writes
    std::uint32_t steps{0U};
    bool lost_prologue{false};  // one was marked, but is empty
    // Event records of the prologue and before it that nothing waits for, as texts.
    std::vector<std::string> idle_records;
    // Per inference: the contents of all inputs, and of all outputs, in the order of declaration.
    std::vector<std::vector<std::vector<std::uint8_t>>> inputs;
    std::vector<std::vector<std::vector<std::uint8_t>>> outputs;

    // nullptr if there is none.
    [[nodiscard]] const capture::ManifestScript* find(ScriptKind kind) const;
};

// "the step", for messages.
[[nodiscard]] const char* script_name(ScriptKind kind);

// Throws API-CAPTURE-*. Reads must have completed.
[[nodiscard]] Scripts make_scripts(const std::vector<Section>& sections, const Declarations& declarations);

// The scripts of one device.
struct DeviceScripts {
    const Scripts* scripts;
    const Declarations* declarations;
};
// For all devices together: a step has a command; first inputs are paired with last outputs, and each is moved once.
// Throws API-CAPTURE-*.
void check_content(const std::vector<DeviceScripts>& devices);

}  // namespace pianola::host
