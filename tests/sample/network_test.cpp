#include "docs/examples/road_signs/network.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "docs/examples/road_signs/data_set.h"
#include "docs/examples/road_signs/quantise.h"
#include "docs/examples/road_signs/trainer.h"

namespace pianola::sample {
namespace {

// A loss whose gradient is easy: the weighted sum of the logits.
double weighted_sum(const Values& logits) {
    double sum = 0.0;
    for (std::size_t c = 0U; c < logits.size(); ++c) {
        sum += static_cast<double>(logits[c]) * (static_cast<double>(c) - 2.5);
    }
    return sum;
}

TEST(Network, GradientsAgreeWithFiniteDifferences) {
    Network network = make_network(3U);
    // Biases off zero, so that no ReLU stands on its corner.
    for (Node& node : network.nodes) {
        for (std::size_t i = 0U; i < node.weights.bias.size(); ++i) {
            node.weights.bias[i] = 0.05F + (0.01F * static_cast<float>(i % 5U));
        }
    }
    Activations activations = make_activations(network);
    load_image(make_example(3U, Stream::kTest, 1U).image, activations);
    forward(network, activations);
    Gradients gradients = make_gradients(network);
    for (std::size_t c = 0U; c < kClassCount; ++c) {
        gradients.tensors.back()[c] = static_cast<float>(c) - 2.5F;
    }
    backward(network, activations, gradients);

    std::size_t checked = 0U;
    for (std::size_t n = 0U; n < network.nodes.size(); ++n) {
        Values& filter = network.nodes[n].weights.filter;
        for (std::size_t i = 0U; i < filter.size(); i += 1U + (filter.size() / 9U)) {
            constexpr float kStep = 1e-3F;
            const float kept = filter[i];
            filter[i] = kept + kStep;
            forward(network, activations);
            const double above = weighted_sum(activations.back());
            filter[i] = kept - kStep;
            forward(network, activations);
            const double below = weighted_sum(activations.back());
            filter[i] = kept;
            const double expected = (above - below) / (2.0 * static_cast<double>(kStep));
            const auto actual = static_cast<double>(gradients.nodes[n].filter[i]);
            EXPECT_NEAR(actual, expected, 0.02 + (0.05 * std::fabs(expected))) << network.nodes[n].name << " " << i;
            checked += (std::fabs(expected) > 0.1) ? 1U : 0U;
        }
    }
    EXPECT_GT(checked, 20U) << "too few gradients that say anything";
}

TEST(Network, IsOfTheSizeThatTheDocumentsState) {
    const Network network = make_network(1U);
    EXPECT_EQ(count_macs(network), 584064U);
    EXPECT_EQ(count_parameters(network), 16792U);
}

TEST(Trainer, LearnsSomethingInAFewSteps) {
    TrainingPlan plan;
    plan.steps = 60U;
    Network network = make_network(plan.seed);
    double first_loss = 0.0;
    double last_loss = 0.0;
    train(plan, network, [&](const Progress& progress) {
        first_loss = (first_loss == 0.0) ? progress.loss : first_loss;
        last_loss = progress.loss;
    });
    EXPECT_GT(first_loss, 1.5);
    EXPECT_LT(last_loss, first_loss * 0.75);
    EXPECT_GT(accuracy(network, make_examples(plan.seed, Stream::kTest, 64U)), 0.3) << "chance is 0.125";
}

TEST(Quantise, StaysOnTheGridAndNearTheFloatNetwork) {
    const Network network = make_network(5U);
    const std::vector<Example> pictures = make_examples(5U, Stream::kCalibration, 16U);
    const QuantisedNetwork quantised = quantise(network, pictures);
    const Network restored = dequantise(network, quantised);
    for (std::size_t n = 0U; n < network.nodes.size(); ++n) {
        const QuantisedNode& node = quantised.nodes[n];
        const std::set<std::int8_t> values(node.filter.begin(), node.filter.end());
        EXPECT_EQ(values.count(-128), 0U) << "filters are symmetric";
        for (std::size_t i = 0U; i < node.filter.size(); ++i) {
            const std::size_t channel = i % node.filter_scales.size();
            EXPECT_NEAR(restored.nodes[n].weights.filter[i], network.nodes[n].weights.filter[i],
                        0.5001F * node.filter_scales[channel])
                << network.nodes[n].name;
        }
    }
    Activations exact = make_activations(network);
    Activations rounded = make_activations(network);
    load_image(pictures[0U].image, exact);
    load_image(pictures[0U].image, rounded);
    forward(network, exact);
    forward(restored, rounded, &quantised.grids);
    for (std::size_t c = 0U; c < kClassCount; ++c) {
        EXPECT_NEAR(exact.back()[c], rounded.back()[c], 8.0F * quantised.grids.back().scale);
    }
}

TEST(Quantise, PoolingAndPaddingKeepTheirGrid) {
    const Network network = make_network(5U);
    const QuantisedNetwork quantised = quantise(network, make_examples(5U, Stream::kCalibration, 4U));
    std::size_t found = 0U;
    for (std::size_t n = 0U; n < network.nodes.size(); ++n) {
        const Node& node = network.nodes[n];
        if ((node.kind == NodeKind::kMaxPool) || (node.kind == NodeKind::kPad)) {
            EXPECT_EQ(quantised.grids[n + 1U].scale, quantised.grids[node.input].scale);
            EXPECT_EQ(quantised.grids[n + 1U].zero_point, quantised.grids[node.input].zero_point);
            ++found;
        }
    }
    EXPECT_EQ(found, 2U);
}

TEST(Quantise, NeedsPictures) {
    EXPECT_THROW((void)quantise(make_network(1U), {}), std::invalid_argument);
}

}  // namespace
}  // namespace pianola::sample
