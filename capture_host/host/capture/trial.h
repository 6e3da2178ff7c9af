// Trial: replays a captured workload with the target's runtime on a new simulated device.
//
// Every capture passes it before it is returned.
#pragma once

#include "capture_host/host/capture/link.h"
#include "capture_host/host/device/device_state.h"
#include "pianola/verdict.h"
#include "pianola_host/workload_capture.h"

namespace pianola::host {

// The runtime refused the file.
class TrialRefused : public HostError {
  public:
    // remedy: "; ..." if a capacity refused the file, else empty.
    TrialRefused(const Verdict& verdict, const std::string& remedy);
    [[nodiscard]] const Verdict& verdict() const noexcept { return verdict_; }
    [[nodiscard]] const std::string& remedy() const noexcept { return remedy_; }

  private:
    Verdict verdict_;
    std::string remedy_;
};

// The capacities that the workload needs.
[[nodiscard]] const Capacities& profile_of(const capture::ManifestTarget& target);

// Loads a file for one device with all of the runtime's proofs. Throws TrialRefused.
void try_load(const std::vector<std::uint8_t>& file, const DeviceDescription& spec);
// The same for a workload. Replays the captured inputs in order; throws API-COMPARE if an output differs from the
// captured run's. Then replays the file's self-test vectors.
void try_workload(const CapturedWorkload& workload, const DeviceDescription& spec);

// The message about a refused capture: the commands by their effect, the bytes by their buffers' names, and what would
// order them.
[[nodiscard]] std::string explain_refusal(const capture::LinkedBinary& linked, const Verdict& verdict,
                                          const DeviceState& device);

}  // namespace pianola::host
