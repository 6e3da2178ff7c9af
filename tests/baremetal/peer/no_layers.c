/* A driver without layers: with it the application counts the device alone. */
#include "tests/baremetal/peer/peer.h"

const uint32_t kPeerLayers = 0U;
const uint32_t kPeerWorkspaceBytes = 64U;

uint32_t pianola_peer_prepare(uint8_t* constants, uint8_t* workspace) {
    (void)constants;
    (void)workspace;
    return 0U;
}

int32_t pianola_peer_run(uint32_t layer) {
    return (int32_t)layer;
}
