// Target: a validator and a simulator under attack, and the promises that they must keep.
//
// Place in the whole: tests only; shared by the campaign and the fuzzers. A refusal names its rule, a field, and a byte
// of the file. Whatever is accepted loads, replays without a fault in exactly the proved time, touches no byte outside
// its commands' published extents, and gives outputs that do not depend on what memory held before, nor, where views
// are offered, on how tensors travel.
#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/hostile/aligned_bytes.h"
#include "tests/hostile/subject.h"
#include "tests/support/bench.h"
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
    void fill_memory(std::uint8_t value);
    // Two steps; returns the outputs of both.
    std::vector<std::vector<std::uint8_t>> run_steps(const ExactBytes& bytes);
    // The same two steps without transfers.
    std::vector<std::vector<std::uint8_t>> run_steps_on_views(const ExactBytes& bytes);
    void replay_accepted(const ExactBytes& bytes);

    Subject subject_;
    Bench bench_;
    std::unique_ptr<Validator> validator_;
    std::uint32_t self_tests_failed_{0U};
};

// Says what a step really takes, so that scripts which were changed are looked at for more than their length. The
// verdict is that of a refusal for BUD-CYCLES. The digest is right afterwards. False where the field is not in the
// file.
bool repair_cycles(const Verdict& verdict, std::vector<std::uint8_t>& file);

}  // namespace pianola::test
