#include "docs/examples/road_signs/layers.h"

#include <algorithm>

namespace pianola::sample {

namespace {

// sum[i] += factor * values[i]. The pointers do not overlap.
void add_scaled(float* __restrict sum, const float* __restrict values, float factor, std::size_t count) noexcept {
    for (std::size_t i = 0U; i < count; ++i) {
        sum[i] += factor * values[i];
    }
}

// sum[i] += a[i] * b[i]. The sum does not overlap with the factors.
void add_product(float* __restrict sum, const float* __restrict a, const float* __restrict b,
                 std::size_t count) noexcept {
    for (std::size_t i = 0U; i < count; ++i) {
        sum[i] += a[i] * b[i];
    }
}

// Calls visit(first output element, first input element, tap) for every window position and every tap inside the input.
template <typename Visit>
void for_each_tap(const Shape& in_shape, const Shape& out_shape, const Window& window, const Visit& visit) {
    for (std::size_t at = 0U; at < (out_shape.height * out_shape.width); ++at) {
        const std::size_t top = (at / out_shape.width) * window.stride;
        const std::size_t left = (at % out_shape.width) * window.stride;
        for (std::size_t tap = 0U; tap < (window.side * window.side); ++tap) {
            const std::size_t y = top + (tap / window.side);
            const std::size_t x = left + (tap % window.side);
            const bool inside = (y >= window.pad_before) && ((y - window.pad_before) < in_shape.height) &&
                                (x >= window.pad_before) && ((x - window.pad_before) < in_shape.width);
            if (inside) {
                const std::size_t pixel = ((y - window.pad_before) * in_shape.width) + (x - window.pad_before);
                visit(at * out_shape.channels, pixel * in_shape.channels, tap);
            }
        }
    }
}

void fill_with_bias(const Shape& out_shape, const Values& bias, Values& out) {
    for (std::size_t at = 0U; at < out.size(); at += out_shape.channels) {
        std::copy(bias.begin(), bias.end(), out.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

void add_bias_gradient(const Shape& out_shape, const Values& out_gradient, Values& bias_gradient) {
    for (std::size_t at = 0U; at < out_gradient.size(); at += out_shape.channels) {
        add_scaled(bias_gradient.data(), &out_gradient[at], 1.0F, out_shape.channels);
    }
}

}  // namespace

void conv_forward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Weights& weights,
                  const Values& in, Values& out) {
    fill_with_bias(out_shape, weights.bias, out);
    for_each_tap(in_shape, out_shape, window, [&](std::size_t out_at, std::size_t in_at, std::size_t tap) {
        for (std::size_t c = 0U; c < in_shape.channels; ++c) {
            const float value = in[in_at + c];
            if (value != 0.0F) {
                const std::size_t row = ((tap * in_shape.channels) + c) * out_shape.channels;
                add_scaled(&out[out_at], &weights.filter[row], value, out_shape.channels);
            }
        }
    });
}

void conv_backward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Values& transposed,
                   const Values& in, const Values& out_gradient, Weights& gradient, Values* in_gradient) {
    add_bias_gradient(out_shape, out_gradient, gradient.bias);
    const std::size_t filter_elements = window.side * window.side * in_shape.channels;
    for_each_tap(in_shape, out_shape, window, [&](std::size_t out_at, std::size_t in_at, std::size_t tap) {
        for (std::size_t c = 0U; c < in_shape.channels; ++c) {
            const float value = in[in_at + c];
            if (value != 0.0F) {
                const std::size_t row = ((tap * in_shape.channels) + c) * out_shape.channels;
                add_scaled(&gradient.filter[row], &out_gradient[out_at], value, out_shape.channels);
            }
        }
        if (in_gradient == nullptr) {
            return;
        }
        for (std::size_t c = 0U; c < out_shape.channels; ++c) {
            const float value = out_gradient[out_at + c];
            if (value != 0.0F) {
                const std::size_t row = (c * filter_elements) + (tap * in_shape.channels);
                add_scaled(&(*in_gradient)[in_at], &transposed[row], value, in_shape.channels);
            }
        }
    });
}

Values transpose_filter(const Values& filter, std::size_t out_channels) {
    const std::size_t rows = filter.size() / out_channels;
    Values transposed(filter.size());
    for (std::size_t row = 0U; row < rows; ++row) {
        for (std::size_t c = 0U; c < out_channels; ++c) {
            transposed[(c * rows) + row] = filter[(row * out_channels) + c];
        }
    }
    return transposed;
}

void depthwise_forward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Weights& weights,
                       const Values& in, Values& out) {
    fill_with_bias(out_shape, weights.bias, out);
    for_each_tap(in_shape, out_shape, window, [&](std::size_t out_at, std::size_t in_at, std::size_t tap) {
        add_product(&out[out_at], &in[in_at], &weights.filter[tap * out_shape.channels], out_shape.channels);
    });
}

void depthwise_backward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Weights& weights,
                        const Values& in, const Values& out_gradient, Weights& gradient, Values& in_gradient) {
    const std::size_t channels = out_shape.channels;
    add_bias_gradient(out_shape, out_gradient, gradient.bias);
    for_each_tap(in_shape, out_shape, window, [&](std::size_t out_at, std::size_t in_at, std::size_t tap) {
        add_product(&gradient.filter[tap * channels], &in[in_at], &out_gradient[out_at], channels);
        add_product(&in_gradient[in_at], &weights.filter[tap * channels], &out_gradient[out_at], channels);
    });
}

void max_pool_forward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Values& in,
                      Values& out) {
    for_each_tap(in_shape, out_shape, window, [&](std::size_t out_at, std::size_t in_at, std::size_t tap) {
        for (std::size_t c = 0U; c < out_shape.channels; ++c) {
            const float value = in[in_at + c];
            out[out_at + c] = (tap == 0U) ? value : std::max(out[out_at + c], value);
        }
    });
}

void max_pool_backward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Values& in,
                       const Values& out, const Values& out_gradient, Values& in_gradient) {
    std::vector<bool> given(out.size(), false);
    for_each_tap(in_shape, out_shape, window, [&](std::size_t out_at, std::size_t in_at, std::size_t /*tap*/) {
        for (std::size_t c = 0U; c < out_shape.channels; ++c) {
            if (!given[out_at + c] && (in[in_at + c] >= out[out_at + c])) {
                given[out_at + c] = true;
                in_gradient[in_at + c] += out_gradient[out_at + c];
            }
        }
    });
}

void pad_forward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Values& in, Values& out) {
    const Window one_tap{1U, 1U, window.pad_before};
    std::fill(out.begin(), out.end(), 0.0F);
    for_each_tap(in_shape, out_shape, one_tap, [&](std::size_t out_at, std::size_t in_at, std::size_t /*tap*/) {
        std::copy_n(&in[in_at], in_shape.channels, &out[out_at]);
    });
}

void pad_backward(const Shape& in_shape, const Shape& out_shape, const Window& window, const Values& out_gradient,
                  Values& in_gradient) {
    const Window one_tap{1U, 1U, window.pad_before};
    for_each_tap(in_shape, out_shape, one_tap, [&](std::size_t out_at, std::size_t in_at, std::size_t /*tap*/) {
        add_scaled(&in_gradient[in_at], &out_gradient[out_at], 1.0F, in_shape.channels);
    });
}

void mean_forward(const Shape& in_shape, const Values& in, Values& out) {
    const float share = 1.0F / static_cast<float>(in_shape.height * in_shape.width);
    std::fill(out.begin(), out.end(), 0.0F);
    for (std::size_t at = 0U; at < in.size(); at += in_shape.channels) {
        add_scaled(out.data(), &in[at], share, in_shape.channels);
    }
}

void mean_backward(const Shape& in_shape, const Values& out_gradient, Values& in_gradient) {
    const float share = 1.0F / static_cast<float>(in_shape.height * in_shape.width);
    for (std::size_t at = 0U; at < in_gradient.size(); at += in_shape.channels) {
        add_scaled(&in_gradient[at], out_gradient.data(), share, in_shape.channels);
    }
}

}  // namespace pianola::sample
