// Target: a validator and a simulator under attack, and the promises that they must keep.
//
// Shared by the campaign and the fuzzers. A refusal names its rule, a field, and a byte of the file. Whatever is
// accepted loads, replays without a fault in exactly the proved time, touches no byte outside its commands' published
// extents, and gives outputs that do not depend on what memory held before, nor, where views are offered, on how
// tensors travel.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hal/devices/refdev/sim/sim_device.h"
#include "hal/devices/refdev/sim/sim_platform.h"
#include "tests/hostile/aligned_bytes.h"
#include "tests/hostile/subject.h"
#include "tests/support/trace_file.h"

namespace pianola::test {

class PromiseBroken : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Throws PromiseBroken where `kept` is false.
void require(bool kept, const std::string& promise);

// What every refusal of a file of so many bytes promises.
void require_honest_refusal(Status status, const Verdict& verdict, std::size_t file_bytes);

// A session over the devices of a mesh, which have one time.
class Rig {
  public:
    Rig(const Subject& subject, std::uint32_t rows, std::uint32_t columns);

    [[nodiscard]] Status load(ByteSpan file) { return session_->load(file, *workspace_, verdict_); }
    [[nodiscard]] Session& session() noexcept { return *session_; }
    void fill_memory(std::uint8_t value);
    // Of the device that is furthest.
    [[nodiscard]] std::uint64_t now_cycles() const;
    [[nodiscard]] std::uint64_t access_violations() const;

  private:
    refdev::DeviceSpec spec_;
    std::vector<std::unique_ptr<sim::SimDevice>> devices_;
    std::unique_ptr<sim::SimPlatform> platform_;
    refdev::RefdevCommandSet command_set_;
    std::unique_ptr<Session> session_;
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    Verdict verdict_;
};

class Target {
  public:
    explicit Target(Subject subject);

    [[nodiscard]] const Subject& subject() const noexcept { return subject_; }

    // True where the file was accepted; the verdict's rule otherwise says why not. Throws PromiseBroken.
    bool attack(const std::vector<std::uint8_t>& file, bool replay);
    // The same without replay and without a look at the digest, which costs more than all other checks together.
    bool attack_behind_digest(const std::vector<std::uint8_t>& file);

    [[nodiscard]] Rule rule() const noexcept { return validator_->verdict().rule; }
    [[nodiscard]] const Verdict& verdict() const noexcept { return validator_->verdict(); }
    [[nodiscard]] std::uint32_t self_tests_failed() const noexcept { return self_tests_failed_; }

  private:
    // The verdict on a file of so many bytes. True where it was accepted.
    [[nodiscard]] bool judge(Status status, Rule accepted, std::size_t file_bytes) const;
    // With the devices that the accepted file is for.
    [[nodiscard]] Rig& rig();
    void replay_accepted(const ExactBytes& bytes);

    Subject subject_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::unique_ptr<Rig>> rigs_;  // by rows and columns
    std::unique_ptr<Validator> validator_;
    std::uint32_t self_tests_failed_{0U};
};

// Says what a step really takes, so that scripts which were changed are looked at for more than their length. The
// verdict is that of a refusal for BUD-CYCLES. The digest is right afterwards. False where the field is not in the
// file.
bool repair_cycles(const Verdict& verdict, std::vector<std::uint8_t>& file);

}  // namespace pianola::test
