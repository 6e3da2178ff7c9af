/* The part of CMSIS-NN's interface that the driver calls, for a library of our own that stands in for it in tests. */
#ifndef PIANOLA_TESTS_BAREMETAL_PEER_STUB_ARM_NNFUNCTIONS_H
#define PIANOLA_TESTS_BAREMETAL_PEER_STUB_ARM_NNFUNCTIONS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef int32_t arm_cmsis_nn_status; /* 0: done */

typedef struct {
    void* buf;
    int32_t size;
} cmsis_nn_context;

typedef struct {
    int32_t n, h, w, c;
} cmsis_nn_dims;

typedef struct {
    int32_t w, h;
} cmsis_nn_tile;

typedef struct {
    int32_t min, max;
} cmsis_nn_activation;

typedef struct {
    int32_t input_offset, output_offset;
    cmsis_nn_tile stride, padding, dilation;
    cmsis_nn_activation activation;
} cmsis_nn_conv_params;

typedef struct {
    int32_t input_offset, output_offset, ch_mult;
    cmsis_nn_tile stride, padding, dilation;
    cmsis_nn_activation activation;
} cmsis_nn_dw_conv_params;

typedef struct {
    int32_t input_offset, filter_offset, output_offset;
    cmsis_nn_activation activation;
} cmsis_nn_fc_params;

typedef struct {
    cmsis_nn_tile stride, padding;
    cmsis_nn_activation activation;
} cmsis_nn_pool_params;

typedef struct {
    int32_t *multiplier, *shift;
} cmsis_nn_per_channel_quant_params;

typedef struct {
    int32_t *multiplier, *shift, is_per_channel;
} cmsis_nn_quant_params;

arm_cmsis_nn_status arm_convolve_wrapper_s8(const cmsis_nn_context*, const cmsis_nn_conv_params*,
                                            const cmsis_nn_per_channel_quant_params*, const cmsis_nn_dims* input_dims,
                                            const int8_t* input, const cmsis_nn_dims* filter_dims, const int8_t* filter,
                                            const cmsis_nn_dims* bias_dims, const int32_t* bias,
                                            const cmsis_nn_dims* output_dims, int8_t* output);
int32_t arm_convolve_wrapper_s8_get_buffer_size(const cmsis_nn_conv_params*, const cmsis_nn_dims* input,
                                                const cmsis_nn_dims* filter, const cmsis_nn_dims* output);
arm_cmsis_nn_status arm_depthwise_conv_wrapper_s8(const cmsis_nn_context*, const cmsis_nn_dw_conv_params*,
                                                  const cmsis_nn_per_channel_quant_params*,
                                                  const cmsis_nn_dims* input_dims, const int8_t* input,
                                                  const cmsis_nn_dims* filter_dims, const int8_t* filter,
                                                  const cmsis_nn_dims* bias_dims, const int32_t* bias,
                                                  const cmsis_nn_dims* output_dims, int8_t* output);
int32_t arm_depthwise_conv_wrapper_s8_get_buffer_size(const cmsis_nn_dw_conv_params*, const cmsis_nn_dims* input,
                                                      const cmsis_nn_dims* filter, const cmsis_nn_dims* output);
arm_cmsis_nn_status arm_fully_connected_wrapper_s8(const cmsis_nn_context*, const cmsis_nn_fc_params*,
                                                   const cmsis_nn_quant_params*, const cmsis_nn_dims* input_dims,
                                                   const int8_t* input, const cmsis_nn_dims* filter_dims,
                                                   const int8_t* filter, const cmsis_nn_dims* bias_dims,
                                                   const int32_t* bias, const cmsis_nn_dims* output_dims,
                                                   int8_t* output);
int32_t arm_fully_connected_s8_get_buffer_size(const cmsis_nn_dims* filter);
arm_cmsis_nn_status arm_vector_sum_s8(int32_t* sums, int32_t columns, int32_t rows, const int8_t* weights,
                                      int32_t input_offset, int32_t weights_offset, const int32_t* bias);
arm_cmsis_nn_status arm_avgpool_s8(const cmsis_nn_context*, const cmsis_nn_pool_params*,
                                   const cmsis_nn_dims* input_dims, const int8_t* input,
                                   const cmsis_nn_dims* filter_dims, const cmsis_nn_dims* output_dims, int8_t* output);
int32_t arm_avgpool_s8_get_buffer_size(int output_width, int channels);
arm_cmsis_nn_status arm_max_pool_s8(const cmsis_nn_context*, const cmsis_nn_pool_params*,
                                    const cmsis_nn_dims* input_dims, const int8_t* input,
                                    const cmsis_nn_dims* filter_dims, const cmsis_nn_dims* output_dims, int8_t* output);
arm_cmsis_nn_status arm_elementwise_add_s8(const int8_t* left, const int8_t* right, int32_t left_offset,
                                           int32_t left_multiplier, int32_t left_shift, int32_t right_offset,
                                           int32_t right_multiplier, int32_t right_shift, int32_t common_shift,
                                           int8_t* output, int32_t offset, int32_t multiplier, int32_t shift,
                                           int32_t least, int32_t greatest, int32_t count);
void arm_softmax_s8(const int8_t* input, int32_t rows, int32_t row_size, int32_t multiplier, int32_t shift,
                    int32_t least_difference, int8_t* output);
arm_cmsis_nn_status arm_pad_s8(const int8_t* input, int8_t* output, int8_t value, const cmsis_nn_dims* input_dims,
                               const cmsis_nn_dims* before, const cmsis_nn_dims* after);

#ifdef __cplusplus
}
#endif

#endif
