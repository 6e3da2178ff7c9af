/* What a driver of another library's kernels gives main.cpp. toolchains/cmsis_nn_driver.py writes such a driver for
 * each model; no_layers.c is one for none. */
#ifndef PIANOLA_TESTS_BAREMETAL_PEER_PEER_H
#define PIANOLA_TESTS_BAREMETAL_PEER_PEER_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

extern const uint32_t kPeerLayers;
/* For activations and the library's buffers. */
extern const uint32_t kPeerWorkspaceBytes;

/* Once, not counted. Returns 0, or how many bytes the library wants beyond its share of the workspace. */
uint32_t pianola_peer_prepare(uint8_t* constants, uint8_t* workspace);

/* One layer, which is counted. Returns 0, or the library's error. */
int32_t pianola_peer_run(uint32_t layer);

#ifdef __cplusplus
}
#endif

#endif
