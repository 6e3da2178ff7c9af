/* See board_config.h. All three headers are made by the command line: `pianola embed`, `size --header` and `pubkey
 * --format c`, each with --language c99. */
#include "board_config.h"

#include "fleet_key_c99.h"
#include "road_signs_c99.h"
#include "road_signs_manifest_c99.h"

static const app_environment_t board_environment = {
    .signatures = PNL_SIGNATURE_POLICY_REQUIRED,
    .key = &fleet_key,
    .binary = road_signs_c99,
    .binary_bytes = ROAD_SIGNS_FLASH_BYTES,
    .input_bytes = ROAD_SIGNS_INPUT_0_BYTES,
    .output_bytes = ROAD_SIGNS_OUTPUT_0_BYTES,
};

const app_environment_t* board_config(void) {
    return &board_environment;
}
