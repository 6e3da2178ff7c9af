// Replay: runs a trace binary with the target's runtime on a separate simulated device, or on those of its mesh.
//
// A capture is tried on it; `pianola run`, `pianola timeline` and the Python package replay with it, whatever the
// device.
#pragma once

#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hal/host/target.h"
#include "pianola/session.h"
#include "pianola_host/files.h"

namespace pianola::signing {
class DevelopmentTrust;
}

namespace pianola::replay {

// The runtime refuses the file. what() has rule, field and numbers.
class Refused : public std::runtime_error {
  public:
    explicit Refused(const Verdict& verdict);
    [[nodiscard]] const Verdict& verdict() const noexcept { return verdict_; }

  private:
    Verdict verdict_;
};

// A call of the session has failed.
class Stopped : public std::runtime_error {
  public:
    Stopped(Status status, const FaultRecord& fault);
    [[nodiscard]] Status status() const noexcept { return status_; }
    // The session's fault; empty if the call was refused and nothing has latched.
    [[nodiscard]] const FaultRecord& fault() const noexcept { return fault_; }

  private:
    Status status_;
    FaultRecord fault_;
};

// The file declares no such parameter, or does not admit the value. what() says what the file admits.
class NoSuchValue : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// The target has no simulator, or not with these options. what() names the device family.
class NotOffered : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};
// Throws NotOffered.
void require_simulator(const Target& target, const SimulatorOptions& options);

using Tensors = std::vector<std::vector<std::uint8_t>>;  // of one inference, in the binary's order

// Views of tensors, as a session takes them.
template <typename View, typename Of>
class Views {
  public:
    explicit Views(Of& tensors) {
        for (auto& tensor : tensors) {
            views_.emplace_back(tensor.data(), tensor.size());
        }
    }
    [[nodiscard]] Span<const View> view() const noexcept { return {views_.data(), views_.size()}; }

  private:
    std::vector<View> views_;
};
using Sources = Views<ByteSpan, const Tensors>;
using Destinations = Views<MutableByteSpan, Tensors>;

class Replay {
  public:
    // The target has static lifetime. `device` is each device of the mesh, and says how many there are. Throws
    // NotOffered.
    Replay(ByteSpan file, const Target& target, const DeviceDescription& device, const SimulatorOptions& options = {});

    // All proofs, and the set-up. Throws Refused, Stopped.
    void load();

    [[nodiscard]] ByteSpan file() const noexcept { return file_.view(); }
    [[nodiscard]] Session& session() noexcept { return session_; }
    [[nodiscard]] const Session& session() const noexcept { return session_; }
    // The first device's. Time is that of all.
    [[nodiscard]] Simulator& simulator() noexcept { return *simulators_.front(); }
    [[nodiscard]] const Simulator& simulator() const noexcept { return *simulators_.front(); }
    // In row-major order.
    [[nodiscard]] const std::vector<std::unique_ptr<Simulator>>& simulators() const noexcept { return simulators_; }
    // The image of the file, even if it was refused.
    [[nodiscard]] const Image& image() const noexcept { return workspace_->image; }

    // Throws Stopped.
    void check(Status status) const;
    // Waits for the oldest submitted inference.
    void finish(Status submitted) { check(is_ok(submitted) ? session_.wait() : submitted); }

    // Sets a parameter of the steps from now on. Throws NoSuchValue, Stopped.
    void set_parameter(const std::string& name, std::uint32_t value);

    // Whether a step's outputs may depend on the steps before it. Session::reset_state() ends that.
    [[nodiscard]] bool has_state() const;
    [[nodiscard]] Tensors empty_inputs() const;
    [[nodiscard]] Tensors empty_outputs() const;
    // Runs inferences one after the other; a pipelined binary from its prologue to its epilogue, with as many at once
    // as it admits. Another binary's epilogue is not run. `done` is called after each submission. Calls
    // interrupt::check() between two records; if it throws, the session stays ready: a pipelined binary stopped after
    // its epilogue, any other after the last whole record.
    [[nodiscard]] std::vector<Tensors> run(const std::vector<Tensors>& inputs,
                                           const std::function<void(std::size_t done)>& done = {});
    // Replays all vectors of the file, as Session::self_test() does: state is reset before and after, each vector is
    // computed once. `done` is called after each. Calls interrupt::check() between two vectors, and throws its
    // exception after the reset; throws Stopped if a vector's outputs differ.
    void self_test(const std::function<void(std::uint32_t done)>& done = {});

  private:
    [[nodiscard]] bool gives_vector(std::uint32_t index, Tensors& outputs);
    void run_overlapped(const std::vector<Tensors>& inputs, std::vector<Tensors>& outputs,
                        const std::function<void(std::size_t done)>& done);

    files::AlignedBytes file_;
    std::shared_ptr<const signing::DevelopmentTrust> trust_;  // the session refers to both
    SessionConfig config_;
    std::vector<std::unique_ptr<Simulator>> simulators_;
    Session session_;
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
};

}  // namespace pianola::replay
