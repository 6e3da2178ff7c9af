// Hostile campaign: many damaged binaries through validation and, where they are accepted, through replay.
//
//   hostile_campaign [--seed N] [--count N] [--shard I] [--shards N] [--only N]
//
// Built with sanitizers this is where memory safety of the whole load path is shown. Whatever is accepted must keep the
// promises of the proofs: it loads, it replays without a fault in exactly the proved time, no command touches a byte outside its
// published extents, and the outputs do not depend on what memory held before. --only repeats one mutant.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

#include "tests/hostile/aligned_bytes.h"
#include "tests/hostile/mutator.h"
#include "tests/support/bench.h"
#include "tests/support/trace_file.h"
#include "trace_binary_generated.h"

namespace pianola::test {
namespace {

struct Options {
    std::uint32_t seed{1U};
    std::uint32_t count{1000U};
    std::uint32_t shard{0U};
    std::uint32_t shards{1U};
    std::int64_t only{-1};
};

class PromiseBroken : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

void require(bool kept, const std::string& promise) {
    if (!kept) {
        throw PromiseBroken{promise};
    }
}

// One subject under attack.
class Target {
  public:
    explicit Target(Subject subject) : subject_{std::move(subject)}, bench_{options_for(subject_)} {
        DeviceDescription device;
        refdev::describe(subject_.spec, device);
        validator_ = std::make_unique<Validator>(device);
    }
    [[nodiscard]] const Subject& subject() const noexcept { return subject_; }

    // True where the file was accepted; the verdict's rule otherwise says why not.
    bool attack(const std::vector<std::uint8_t>& file, bool replay) {
        const ExactBytes bytes(file.begin(), file.end());
        const Status status = validator_->validate(view_of(bytes));
        const Verdict& verdict = validator_->verdict();
        require(verdict.status == status, "the verdict carries the status");
        if (!is_ok(status)) {
            require((status == Status::kRefused) && (verdict.rule != Rule::kNotRun), "a refusal names its rule");
            // Of a file that is too short, the field that says so may not be there.
            require((verdict.rule == Rule::kEnvFileSize) || (verdict.file_offset <= file.size()),
                    fmt::format("a refusal names a byte of the file: {} {} at {} of {}", rule_id(verdict.rule),
                                path_text(verdict), verdict.file_offset, file.size()));
            require(!path_text(verdict).empty(), "a refusal names a field");
            return false;
        }
        require(verdict.rule == Rule::kNotRun, "an accepted file broke no rule");
        if (replay) {
            replay_accepted(bytes);
        }
        return true;
    }
    [[nodiscard]] Rule rule() const noexcept { return validator_->verdict().rule; }
    [[nodiscard]] const Verdict& verdict() const noexcept { return validator_->verdict(); }
    [[nodiscard]] std::uint32_t self_tests_failed() const noexcept { return self_tests_failed_; }

  private:
    static sim::SimOptions options_for(const Subject& subject) {
        sim::SimOptions options;
        options.spec = subject.spec;
        options.check_accesses = subject.is_small;
        return options;
    }

    void fill_memory(std::uint8_t value) {
        const refdev::DeviceSpec& spec = subject_.spec;
        std::fill_n(bench_.device.memory_at(spec.dram_base, spec.dram_bytes), spec.dram_bytes, value);
        std::fill_n(bench_.device.memory_at(spec.l1_base, spec.l1_bytes), spec.l1_bytes, value);
    }

    // Two steps; returns the outputs of both.
    std::vector<std::vector<std::uint8_t>> run_steps(const ExactBytes& bytes) {
        require(is_ok(bench_.load(view_of(bytes))), "an accepted file loads");
        const Plan& plan = bench_.session.plan();
        std::vector<std::vector<std::uint8_t>> results;
        for (std::uint8_t step = 0U; step < 2U; ++step) {
            std::vector<std::vector<std::uint8_t>> inputs;
            std::vector<ByteSpan> input_views;
            for (std::uint32_t i = 0U; i < plan.input_count; ++i) {
                inputs.emplace_back(plan.input_bytes.at(i), static_cast<std::uint8_t>(0x3BU + (step * 0x51U)));
            }
            for (const auto& input : inputs) {
                input_views.emplace_back(input.data(), input.size());
            }
            std::vector<MutableByteSpan> output_views;
            const std::size_t first = results.size();
            for (std::uint32_t i = 0U; i < plan.output_count; ++i) {
                results.emplace_back(plan.output_bytes.at(i));
            }
            for (std::size_t i = first; i < results.size(); ++i) {
                output_views.emplace_back(results[i].data(), results[i].size());
            }
            const std::uint64_t started = bench_.device.now_cycles();
            const Status status = bench_.session.run({input_views.data(), input_views.size()},
                                                     {output_views.data(), output_views.size()});
            require(is_ok(status), fmt::format("an accepted file replays: {:08X}", static_cast<std::uint32_t>(status)));
            require((bench_.device.now_cycles() - started) == plan.step.cycles,
                    "a step takes the time that was proved");
        }
        return results;
    }

    void replay_accepted(const ExactBytes& bytes) {
        fill_memory(0x00U);
        const auto first = run_steps(bytes);
        if (subject_.is_small) {
            fill_memory(0xA5U);
            require(run_steps(bytes) == first, "outputs do not depend on what memory held before");
        }
        std::vector<std::uint8_t> scratch(bench_.session.output_bytes());
        if (bench_.session.image().self_test_count() > 0U) {
            const Status status = bench_.session.self_test(0U, {scratch.data(), scratch.size()});
            require(is_ok(status) || (status == Status::kIntegrity), "a self-test passes or latches");
            self_tests_failed_ += is_ok(status) ? 0U : 1U;
        }
        require(bench_.device.access_violations() == 0U, "no command touches a byte outside its extents");
    }

    Subject subject_;
    Bench bench_;
    std::unique_ptr<Validator> validator_;
    std::uint32_t self_tests_failed_{0U};
};

// Says what a step really takes, so that scripts which were changed are looked at for more than their length. False where the
// field is not in the file.
bool repair_cycles(const Verdict& verdict, std::vector<std::uint8_t>& file) {
    flatbuffers::Table* const root =
        flatbuffers::GetMutableRoot<flatbuffers::Table>(file.data() + segment_offset(file, 0U));
    auto* const budgets = root->GetPointer<flatbuffers::Table*>(schema::TraceBinary::VT_BUDGETS);
    if (!budgets->SetField<std::uint64_t>(schema::Budgets::VT_STEP_CYCLES, verdict.limit, 0U)) {
        return false;
    }
    capture::fix_digest(file);
    return true;
}

struct Tally {
    std::map<Rule, std::uint32_t> refused;
    std::uint32_t accepted{0U};
    std::uint32_t replayed{0U};
};

class Campaign {
  public:
    explicit Campaign(const Options& options) : options_{options} {
        targets_.push_back(std::make_unique<Target>(small_subject()));
        for (Subject& subject : large_subjects()) {
            targets_.push_back(std::make_unique<Target>(std::move(subject)));
        }
        tallies_.resize(targets_.size());
    }

    int run() {
        const auto started = std::chrono::steady_clock::now();
        for (std::uint32_t i = options_.shard; i < options_.count; i += options_.shards) {
            if ((options_.only >= 0) && (options_.only != std::int64_t{i})) {
                continue;
            }
            try {
                attack(i);
            } catch (const PromiseBroken& broken) {
                fmt::print("seed {} mutant {}: broken promise: {}\n", options_.seed, i, broken.what());
                broken_ += 1U;
            }
        }
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - started;
        report(took.count());
        return (broken_ == 0U) ? 0 : 1;
    }

  private:
    // One in eight mutants is of a large subject; of those, few are replayed.
    void attack(std::uint32_t index) {
        constexpr std::uint32_t kReplaysOfLarge = 20U;
        Random random{(options_.seed * 0x9E37'79B9U) ^ index};
        const auto large = static_cast<std::uint32_t>(targets_.size() - 1U);
        const std::uint32_t which = ((large > 0U) && random.one_in(8U)) ? (1U + random.below(large)) : 0U;
        Target& target = *targets_[which];
        Tally& tally = tallies_[which];
        Mutator{target.subject()}.make(random, file_);
        const bool replay = target.subject().is_small || (tally.replayed < kReplaysOfLarge);
        bool accepted = target.attack(file_, replay);
        if (!accepted && (target.rule() == Rule::kBudCycles) && repair_cycles(target.verdict(), file_)) {
            tally.refused[Rule::kBudCycles] += 1U;
            accepted = target.attack(file_, replay);
        }
        if (accepted) {
            tally.accepted += 1U;
            tally.replayed += replay ? 1U : 0U;
        } else {
            tally.refused[target.rule()] += 1U;
        }
    }

    void report(double seconds) const {
        for (std::size_t i = 0U; i < targets_.size(); ++i) {
            std::uint32_t all = tallies_[i].accepted;
            for (const auto& [rule, count] : tallies_[i].refused) {
                fmt::print("  {:<8} {:<24} {:>8}\n", targets_[i]->subject().name, rule_id(rule), count);
                all += count;
            }
            fmt::print("{:<10} {} mutants: {} refused by {} rules, {} accepted, {} replayed, {} failed self-tests\n",
                       targets_[i]->subject().name, all, all - tallies_[i].accepted, tallies_[i].refused.size(),
                       tallies_[i].accepted, tallies_[i].replayed, targets_[i]->self_tests_failed());
        }
        if (targets_.size() == 1U) {
            fmt::print("NOTE: no captured model: set PIANOLA_SHARED\n");
        }
        fmt::print("{} broken promises, {:.1f} s\n", broken_, seconds);
    }

    Options options_;
    std::vector<std::unique_ptr<Target>> targets_;
    std::vector<Tally> tallies_;
    std::vector<std::uint8_t> file_;
    std::uint32_t broken_{0U};
};

int run(int argc, char** argv) {
    CLI::App app{"Attacks the load path with damaged trace binaries"};
    Options options;
    app.add_option("--seed", options.seed)->capture_default_str();
    app.add_option("--count", options.count, "Mutants of all shards together")->capture_default_str();
    app.add_option("--shard", options.shard)->capture_default_str();
    app.add_option("--shards", options.shards)->check(CLI::Range(1U, 1024U))->capture_default_str();
    app.add_option("--only", options.only, "Number of the one mutant to repeat");
    CLI11_PARSE(app, argc, argv);
    return Campaign{options}.run();
}

}  // namespace
}  // namespace pianola::test

int main(int argc, char** argv) {
    try {
        return pianola::test::run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "{}\n", error.what());
        return 2;
    }
}
