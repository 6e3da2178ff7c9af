/* The ECU around the module Pnl: what a start-up and an operating system do, and what Det receives, in C. The few lines
 * of C++ that make the accelerator's port are native_glue.cpp and board_glue.cpp; an accelerator whose port is in C
 * needs none. */
#ifndef APP_H
#define APP_H

#include "pianola.h"

#ifdef __cplusplus
extern "C" {
#endif

/* What the machine brings. */
typedef struct {
    const pnl_device_ops_t* device;
    void* device_context;
    const pnl_command_set_ops_t* command_set;
    const void* command_set_context;
    const pnl_verifier_ops_t* verifier; /* NULL: no signatures */
    const void* verifier_context;
    pnl_signature_policy_t signatures;
    const pnl_trusted_key_t* key; /* NULL without signatures */
    const uint8_t* binary;        /* in flash */
    size_t binary_bytes;
    size_t input_bytes; /* of the binary's one input, and of its one output */
    size_t output_bytes;
    pnl_memory_t spare; /* at a multiple of PNL_FILE_ALIGNMENT_BYTES; for the scenario `corrupted` */
    uint64_t (*now_us)(void);
    void (*idle)(void);
    void (*print)(const char* text);
} app_environment_t;

/* Runs one scenario and returns an exit code, 0 where all went as it must:
 *   replay     every self-test vector as an input, twice; outputs are compared byte by byte
 *   corrupted  a byte of a copy of the binary is changed: refused, which Det is told
 *   stuck      the device completes nothing any more: a time-out, which Det is told
 *   misused    calls that do not belong where they are made: each is reported, none does anything */
int app_run(const app_environment_t* environment, const char* scenario);

#ifdef __cplusplus
}
#endif

#endif
