// Trainer: stochastic gradient descent on pictures that are drawn as they are needed.
//
// docs/examples/road_signs, between network.h and quantise.h. Adam (Kingma and Ba, 2015) with a rate that falls in a
// straight line to zero; softmax and cross-entropy as the loss. Every picture is new, so there is nothing to learn by
// heart.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "docs/examples/road_signs/data_set.h"
#include "docs/examples/road_signs/network.h"

namespace pianola::sample {

struct TrainingPlan {
    std::uint64_t seed{1U};
    std::size_t steps{2000U};
    std::size_t batch{16U};
    double rate{0.006};
};

struct Progress {
    std::size_t step{0U};  // steps done
    double loss{0.0};      // mean over the pictures since the last report
    double correct{0.0};   // share of those pictures, 0 to 1
};

// Trains in place. Reports about every twentieth part of the plan.
void train(const TrainingPlan& plan, Network& network, const std::function<void(const Progress&)>& report);

// Share of examples whose greatest logit is the true class, 0 to 1. grids as for forward().
[[nodiscard]] double accuracy(const Network& network, const std::vector<Example>& examples,
                              const std::vector<Grid>* grids = nullptr);

}  // namespace pianola::sample
