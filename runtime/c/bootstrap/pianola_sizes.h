/* Stands in for the header of this name while the numbers for it are measured: none of these decides a size. */
#ifndef PIANOLA_SIZES_H
#define PIANOLA_SIZES_H

#define PNL_SESSION_WORDS 1U
#define PNL_WORKSPACE_WORDS 1U
#define PNL_VALIDATION_WORDS 1U
#define PNL_DEVICE_WORDS 1U
#define PNL_PLATFORM_WORDS 1U
#define PNL_COMMAND_SET_WORDS 1U
#define PNL_VERIFIER_WORDS 1U
#define PNL_DIGEST_ENGINE_WORDS 1U
#define PNL_MESH_DEVICES 1U
#define PNL_FAULT_RECORDS 1U
#define PNL_STEPS_IN_FLIGHT 1U
#define PNL_PROFILE 1U

#endif
