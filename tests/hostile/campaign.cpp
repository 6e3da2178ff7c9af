// Hostile campaign: many damaged binaries through validation and, where they are accepted, through replay.
//
//   pianola_hostile_campaign [--seed N] [--count N] [--shard I] [--shards N] [--only N]
//
// Built with sanitizers this is where memory safety of the whole load path is shown. tests/hostile/target.h says what
// is asked of refusals, and of what is accepted. --only repeats one mutant.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>
#include <map>
#include <string>

#include "tests/hostile/mutator.h"
#include "tests/hostile/target.h"

namespace pianola::test {
namespace {

constexpr int kSkipped = 77;  // nothing is broken in what was there, and the model was not

struct Options {
    std::uint32_t seed{1U};
    std::uint32_t count{1000U};
    std::uint32_t shard{0U};
    std::uint32_t shards{1U};
    std::int64_t only{-1};
};

struct Tally {
    std::map<Rule, std::uint32_t> refused;
    std::uint32_t accepted{0U};
    std::uint32_t replayed{0U};
};

class Campaign {
  public:
    explicit Campaign(const Options& options) : options_{options} {
        targets_.push_back(std::make_unique<Target>(small_subject()));
        std::optional<Subject> model = model_subject();
        has_model_ = model.has_value();
        if (model) {
            targets_.push_back(std::make_unique<Target>(std::move(*model)));
        }
        for (Subject& subject : named_subjects()) {
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
        if (broken_ != 0U) {
            return 1;
        }
        return has_model_ ? 0 : kSkipped;
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
        if (!has_model_) {
            fmt::print("skipped: no captured model; set PIANOLA_SHARED\n");
        }
        fmt::print("{} broken promises, {:.1f} s\n", broken_, seconds);
    }

    Options options_;
    std::vector<std::unique_ptr<Target>> targets_;
    std::vector<Tally> tallies_;
    std::vector<std::uint8_t> file_;
    std::uint32_t broken_{0U};
    bool has_model_{false};
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
