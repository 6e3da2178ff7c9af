/* Stands in for CMSIS-NN in tests: the same functions, in the plainest way. Where STUB_MISTAKE is defined, the maximum
 * of a pool is wrong; where STUB_BUFFER is, a convolution wants that many bytes. */
#include "arm_nnfunctions.h"

#ifndef STUB_BUFFER
#define STUB_BUFFER 0
#endif
#ifdef STUB_MISTAKE
enum { MISTAKE = 1 };
#else
enum { MISTAKE = 0 };
#endif

static int32_t clamped(int32_t value, cmsis_nn_activation range) {
    return (value < range.min) ? range.min : (value > range.max) ? range.max : value;
}

/* The high half of a doubled product, rounded. */
static int32_t high_product(int32_t left, int32_t right) {
    const int64_t product = (int64_t)left * right;
    const int64_t nudge = (product >= 0) ? (1 << 30) : (1 - (1 << 30));
    return (int32_t)((product + nudge) / ((int64_t)1 << 31));
}

/* Divided by a power of two; a half is rounded away from zero. */
static int32_t divided(int32_t value, int32_t exponent) {
    const int32_t mask = (int32_t)((1U << (uint32_t)exponent) - 1U);
    const int32_t threshold = (mask >> 1) + ((value < 0) ? 1 : 0);
    return (value >> exponent) + (((value & mask) > threshold) ? 1 : 0);
}

static int32_t scaled(int32_t value, int32_t multiplier, int32_t shift) {
    const int32_t left = (shift > 0) ? shift : 0;
    return divided(high_product(value * (1 << left), multiplier), left - shift);
}

static int32_t at(const cmsis_nn_dims* dims, int32_t n, int32_t y, int32_t x, int32_t c) {
    return (((((n * dims->h) + y) * dims->w) + x) * dims->c) + c;
}

static int is_inside(const cmsis_nn_dims* dims, int32_t y, int32_t x) {
    return (y >= 0) && (y < dims->h) && (x >= 0) && (x < dims->w);
}

int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params* params, const cmsis_nn_dims* input,
                                                const cmsis_nn_dims* filter, const cmsis_nn_dims* output) {
    (void)params;
    (void)input;
    (void)filter;
    (void)output;
    return STUB_BUFFER;
}

arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context* context, const cmsis_nn_conv_params* params,
                                            const cmsis_nn_per_channel_quant_params* scales,
                                            const cmsis_nn_dims* input_dims, const int8_t* input,
                                            const cmsis_nn_dims* filter_dims, const int8_t* filter,
                                            const cmsis_nn_dims* bias_dims, const int32_t* bias,
                                            const cmsis_nn_dims* output_dims, int8_t* output) {
    (void)context;
    (void)bias_dims;
    for (int32_t i = 0; i < output_dims->n * output_dims->h * output_dims->w * output_dims->c; ++i) {
        const int32_t c = i % output_dims->c;
        const int32_t x = (i / output_dims->c) % output_dims->w;
        const int32_t y = (i / output_dims->c / output_dims->w) % output_dims->h;
        const int32_t n = i / output_dims->c / output_dims->w / output_dims->h;
        int32_t sum = (bias != 0) ? bias[c] : 0;
        for (int32_t k = 0; k < filter_dims->h * filter_dims->w; ++k) {
            const int32_t row =
                (y * params->stride.h) - params->padding.h + ((k / filter_dims->w) * params->dilation.h);
            const int32_t column =
                (x * params->stride.w) - params->padding.w + ((k % filter_dims->w) * params->dilation.w);
            for (int32_t d = 0; (d < filter_dims->c) && is_inside(input_dims, row, column); ++d) {
                sum += (input[at(input_dims, n, row, column, d)] + params->input_offset) *
                       filter[at(filter_dims, c, k / filter_dims->w, k % filter_dims->w, d)];
            }
        }
        sum = scaled(sum, scales->multiplier[c], scales->shift[c]) + params->output_offset;
        output[i] = (int8_t)clamped(sum, params->activation);
    }
    return 0;
}

int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params* params, const cmsis_nn_dims* input,
                                                      const cmsis_nn_dims* filter, const cmsis_nn_dims* output) {
    (void)params;
    (void)input;
    (void)filter;
    (void)output;
    return 0;
}

arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context* context,
                                                  const cmsis_nn_dw_conv_params* params,
                                                  const cmsis_nn_per_channel_quant_params* scales,
                                                  const cmsis_nn_dims* input_dims, const int8_t* input,
                                                  const cmsis_nn_dims* filter_dims, const int8_t* filter,
                                                  const cmsis_nn_dims* bias_dims, const int32_t* bias,
                                                  const cmsis_nn_dims* output_dims, int8_t* output) {
    (void)context;
    (void)bias_dims;
    for (int32_t i = 0; i < output_dims->h * output_dims->w * output_dims->c; ++i) {
        const int32_t c = i % output_dims->c;
        const int32_t x = (i / output_dims->c) % output_dims->w;
        const int32_t y = i / output_dims->c / output_dims->w;
        int32_t sum = (bias != 0) ? bias[c] : 0;
        for (int32_t k = 0; k < filter_dims->h * filter_dims->w; ++k) {
            const int32_t row =
                (y * params->stride.h) - params->padding.h + ((k / filter_dims->w) * params->dilation.h);
            const int32_t column =
                (x * params->stride.w) - params->padding.w + ((k % filter_dims->w) * params->dilation.w);
            if (is_inside(input_dims, row, column)) {
                sum += (input[at(input_dims, 0, row, column, c / params->ch_mult)] + params->input_offset) *
                       filter[at(filter_dims, 0, k / filter_dims->w, k % filter_dims->w, c)];
            }
        }
        sum = scaled(sum, scales->multiplier[c], scales->shift[c]) + params->output_offset;
        output[i] = (int8_t)clamped(sum, params->activation);
    }
    return 0;
}

int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims* filter) {
    return filter->c * (int32_t)sizeof(int32_t);
}

arm_cmsis_nn_status arm_vector_sum_s8(int32_t* sums, int32_t columns, int32_t rows, const int8_t* weights,
                                      int32_t input_offset, int32_t weights_offset, const int32_t* bias) {
    for (int32_t row = 0; row < rows; ++row) {
        sums[row] = (bias != 0) ? bias[row] : 0;
        for (int32_t column = 0; column < columns; ++column) {
            sums[row] += input_offset * (weights[(row * columns) + column] + weights_offset);
        }
    }
    return 0;
}

/* Reads the sums that arm_vector_sum_s8() has made. */
arm_cmsis_nn_status arm_fully_connected_wrapper_s8(const cmsis_nn_context* context, const cmsis_nn_fc_params* params,
                                                   const cmsis_nn_quant_params* scales, const cmsis_nn_dims* input_dims,
                                                   const int8_t* input, const cmsis_nn_dims* filter_dims,
                                                   const int8_t* filter, const cmsis_nn_dims* bias_dims,
                                                   const int32_t* bias, const cmsis_nn_dims* output_dims,
                                                   int8_t* output) {
    (void)bias_dims;
    (void)bias;
    const int32_t* const sums = context->buf;
    for (int32_t i = 0; i < input_dims->n * output_dims->c; ++i) {
        const int32_t c = i % output_dims->c;
        const int32_t channel = (scales->is_per_channel != 0) ? c : 0;
        const int8_t* const row = &input[(i / output_dims->c) * filter_dims->n];
        int32_t sum = sums[c];
        for (int32_t d = 0; d < filter_dims->n; ++d) {
            sum += row[d] * (filter[(c * filter_dims->n) + d] + params->filter_offset);
        }
        sum = scaled(sum, scales->multiplier[channel], scales->shift[channel]) + params->output_offset;
        output[i] = (int8_t)clamped(sum, params->activation);
    }
    return 0;
}

int32_t arm_avgpool_s8_get_buffer_size(int output_width, int channels) {
    (void)output_width;
    (void)channels;
    return 0;
}

static void pool(const cmsis_nn_pool_params* params, const cmsis_nn_dims* input_dims, const int8_t* input,
                 const cmsis_nn_dims* filter_dims, const cmsis_nn_dims* output_dims, int8_t* output, int is_average) {
    for (int32_t i = 0; i < output_dims->h * output_dims->w * output_dims->c; ++i) {
        const int32_t c = i % output_dims->c;
        const int32_t x = (i / output_dims->c) % output_dims->w;
        const int32_t y = i / output_dims->c / output_dims->w;
        int32_t count = 0;
        int32_t sum = 0;
        int32_t greatest = INT8_MIN;
        for (int32_t k = 0; k < filter_dims->h * filter_dims->w; ++k) {
            const int32_t row = (y * params->stride.h) - params->padding.h + (k / filter_dims->w);
            const int32_t column = (x * params->stride.w) - params->padding.w + (k % filter_dims->w);
            if (is_inside(input_dims, row, column)) {
                const int32_t value = input[at(input_dims, 0, row, column, c)];
                count += 1;
                sum += value;
                greatest = (value > greatest) ? value : greatest;
            }
        }
        const int32_t half = (sum > 0) ? (count / 2) : -(count / 2);
        const int32_t value = (is_average != 0) ? ((sum + half) / count) : (greatest - MISTAKE);
        output[i] = (int8_t)clamped(value, params->activation);
    }
}

arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context* context, const cmsis_nn_pool_params* params,
                                   const cmsis_nn_dims* input_dims, const int8_t* input,
                                   const cmsis_nn_dims* filter_dims, const cmsis_nn_dims* output_dims, int8_t* output) {
    (void)context;
    pool(params, input_dims, input, filter_dims, output_dims, output, 1);
    return 0;
}

arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context* context, const cmsis_nn_pool_params* params,
                                    const cmsis_nn_dims* input_dims, const int8_t* input,
                                    const cmsis_nn_dims* filter_dims, const cmsis_nn_dims* output_dims,
                                    int8_t* output) {
    (void)context;
    pool(params, input_dims, input, filter_dims, output_dims, output, 0);
    return 0;
}

arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t* left, const int8_t* right, int32_t left_offset,
                                           int32_t left_multiplier, int32_t left_shift, int32_t right_offset,
                                           int32_t right_multiplier, int32_t right_shift, int32_t common_shift,
                                           int8_t* output, int32_t offset, int32_t multiplier, int32_t shift,
                                           int32_t least, int32_t greatest, int32_t count) {
    const cmsis_nn_activation range = {.min = least, .max = greatest};
    for (int32_t i = 0; i < count; ++i) {
        const int32_t sum = scaled((left[i] + left_offset) * (1 << common_shift), left_multiplier, left_shift) +
                            scaled((right[i] + right_offset) * (1 << common_shift), right_multiplier, right_shift);
        output[i] = (int8_t)clamped(scaled(sum, multiplier, shift) + offset, range);
    }
    return 0;
}

arm_cmsis_nn_status arm_pad_s8(const int8_t* input, int8_t* output, int8_t value, const cmsis_nn_dims* input_dims,
                               const cmsis_nn_dims* before, const cmsis_nn_dims* after) {
    const cmsis_nn_dims output_dims = {.n = before->n + input_dims->n + after->n,
                                       .h = before->h + input_dims->h + after->h,
                                       .w = before->w + input_dims->w + after->w,
                                       .c = before->c + input_dims->c + after->c};
    const int32_t count = output_dims.n * output_dims.h * output_dims.w * output_dims.c;
    for (int32_t i = 0; i < count; ++i) {
        output[i] = value;
    }
    for (int32_t i = 0; i < input_dims->n * input_dims->h * input_dims->w * input_dims->c; ++i) {
        const int32_t c = i % input_dims->c;
        const int32_t x = (i / input_dims->c) % input_dims->w;
        const int32_t y = (i / input_dims->c / input_dims->w) % input_dims->h;
        const int32_t n = i / input_dims->c / input_dims->w / input_dims->h;
        output[at(&output_dims, n + before->n, y + before->h, x + before->w, c + before->c)] = input[i];
    }
    return 0;
}
