// Trial: a captured workload on a fresh simulated device, behind the runtime that an ECU has.
//
// What a capture is held against before anyone gets it.
#pragma once

#include "pianola_host/workload_capture.h"

namespace pianola::host {

// The runtime has refused the file.
class TrialRefused : public HostError {
  public:
    // remedy: "; ..." where a capacity has refused, else empty.
    TrialRefused(const Verdict& verdict, const std::string& remedy);
    [[nodiscard]] const Verdict& verdict() const noexcept { return verdict_; }
    [[nodiscard]] const std::string& remedy() const noexcept { return remedy_; }

  private:
    Verdict verdict_;
    std::string remedy_;
};

// Of the runtime that the workload needs.
[[nodiscard]] const Capacities& profile_of(const capture::ManifestTarget& target);

// Loads a file for one device: all of the runtime's proofs. Throws TrialRefused.
void try_load(const std::vector<std::uint8_t>& file, const DeviceDescription& spec);
// The same of a workload. Replays the captured
// inputs in order; throws API-COMPARE where an output differs from the captured run's. Then replays the file's
// self-test vectors.
void try_workload(const CapturedWorkload& workload, const DeviceDescription& spec);

}  // namespace pianola::host
