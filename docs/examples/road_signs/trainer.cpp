#include "docs/examples/road_signs/trainer.h"

#include <algorithm>
#include <cmath>

#include "docs/examples/road_signs/exact_math.h"

namespace pianola::sample {

namespace {

constexpr std::size_t kReports = 20U;

// First and second moments of every weight's gradient.
struct Moments {
    Weights first;
    Weights second;
};

struct Rates {
    float step;          // learning rate, bias of the moments corrected
    float second_share;  // 1 / (1 - beta2^t)
    float batch_share;   // 1 / pictures per step
};

constexpr float kBeta1 = 0.9F;
constexpr float kBeta2 = 0.99F;

void adam_update(const Rates& rates, Values& gradient, Values& first, Values& second, Values& weights) {
    constexpr float kEpsilon = 1e-8F;
    for (std::size_t i = 0U; i < weights.size(); ++i) {
        const float g = gradient[i] * rates.batch_share;
        first[i] = (kBeta1 * first[i]) + ((1.0F - kBeta1) * g);
        second[i] = (kBeta2 * second[i]) + ((1.0F - kBeta2) * (g * g));
        weights[i] -= (rates.step * first[i]) / (std::sqrt(second[i] * rates.second_share) + kEpsilon);
        gradient[i] = 0.0F;
    }
}

std::size_t greatest(const Values& values) noexcept {
    return static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
}

// Cross-entropy of the softmax of the logits; fills in its gradient.
double loss_of(const Values& logits, std::size_t label, Values& gradient) {
    const auto top = static_cast<double>(logits[greatest(logits)]);
    double sum = 0.0;
    for (const float logit : logits) {
        sum += exp_of(static_cast<double>(logit) - top);
    }
    for (std::size_t c = 0U; c < logits.size(); ++c) {
        const double share = exp_of(static_cast<double>(logits[c]) - top) / sum;
        gradient[c] = static_cast<float>(share - ((c == label) ? 1.0 : 0.0));
    }
    return log_of(sum) - (static_cast<double>(logits[label]) - top);
}

std::vector<Moments> make_moments(const Gradients& gradients) {
    std::vector<Moments> moments;
    moments.reserve(gradients.nodes.size());
    for (const Weights& node : gradients.nodes) {
        moments.push_back(Moments{node, node});
    }
    return moments;
}

}  // namespace

void train(const TrainingPlan& plan, Network& network, const std::function<void(const Progress&)>& report) {
    Activations activations = make_activations(network);
    Gradients gradients = make_gradients(network);
    std::vector<Moments> moments = make_moments(gradients);
    const std::size_t interval = std::max<std::size_t>(plan.steps / kReports, 1U);
    double beta1_power = 1.0;
    double beta2_power = 1.0;
    Progress progress;
    std::size_t pictures = 0U;
    for (std::size_t step = 0U; step < plan.steps; ++step) {
        for (std::size_t i = 0U; i < plan.batch; ++i) {
            const Example example = make_example(plan.seed, Stream::kTraining, (step * plan.batch) + i);
            load_image(example.image, activations);
            forward(network, activations);
            progress.loss += loss_of(activations.back(), example.label, gradients.tensors.back());
            progress.correct += (greatest(activations.back()) == example.label) ? 1.0 : 0.0;
            ++pictures;
            backward(network, activations, gradients);
        }
        beta1_power *= static_cast<double>(kBeta1);
        beta2_power *= static_cast<double>(kBeta2);
        const double left = 1.0 - (static_cast<double>(step) / static_cast<double>(plan.steps));
        const Rates rates{static_cast<float>((plan.rate * left) / (1.0 - beta1_power)),
                          static_cast<float>(1.0 / (1.0 - beta2_power)),
                          static_cast<float>(1.0 / static_cast<double>(plan.batch))};
        for (std::size_t n = 0U; n < network.nodes.size(); ++n) {
            Weights& weights = network.nodes[n].weights;
            Weights& gradient = gradients.nodes[n];
            adam_update(rates, gradient.filter, moments[n].first.filter, moments[n].second.filter, weights.filter);
            adam_update(rates, gradient.bias, moments[n].first.bias, moments[n].second.bias, weights.bias);
        }
        refresh_transposed(network, gradients);
        if (((step + 1U) % interval) == 0U) {
            progress.step = step + 1U;
            progress.loss /= static_cast<double>(pictures);
            progress.correct /= static_cast<double>(pictures);
            report(progress);
            progress = Progress{};
            pictures = 0U;
        }
    }
}

double accuracy(const Network& network, const std::vector<Example>& examples, const std::vector<Grid>* grids) {
    Activations activations = make_activations(network);
    std::size_t correct = 0U;
    for (const Example& example : examples) {
        load_image(example.image, activations);
        forward(network, activations, grids);
        correct += (greatest(activations.back()) == example.label) ? 1U : 0U;
    }
    return examples.empty() ? 0.0 : (static_cast<double>(correct) / static_cast<double>(examples.size()));
}

}  // namespace pianola::sample
