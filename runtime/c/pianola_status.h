/* Status values, enumerations and views of the C API: what pianola.h and pianola_port.h share.
 *
 * Values are those of the C++ headers in runtime/include/pianola, where each is explained at more length; a test holds
 * every one of them to its C++ enumerator. C99. Enumerations are integers of a fixed width and macros: what a device or
 * a damaged memory gives need not be one of the names, and values above INT_MAX cannot be enumerators of C.
 */
#ifndef PIANOLA_STATUS_H
#define PIANOLA_STATUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Version of the tables and structures that carry one. New members come at the end, with a new version. */
#define PNL_API_VERSION 1U

/* A structure of which the library writes or reads the C++ twin: compilers that reorder accesses by type are told. */
#if defined(__GNUC__)
#define PNL_TWIN __attribute__((__may_alias__))
#else
#define PNL_TWIN
#endif

/* What a call came to, grouped by the reaction that it asks for. Success is a wide non-zero pattern: memory that was
 * cleared, or never written, does not read as success. Compare with PNL_OK; never test for zero. */
typedef uint32_t pnl_status_t;
#define PNL_OK 0x5AC396A5U               /* done */
#define PNL_INVALID_ARGUMENT 0x17E817E8U /* caller's bug: correct the call */
#define PNL_INVALID_STATE 0x2BD42BD4U    /* caller's bug: the call does not belong in this state */
#define PNL_REFUSED 0x3CC33CC3U          /* the binary is not acceptable; the verdict says why */
#define PNL_CAPACITY 0x4DB24DB2U         /* a fixed capacity is exhausted */
#define PNL_BUSY 0x66996699U             /* nothing was started; try again later */
#define PNL_PENDING 0x718E718EU          /* started and not finished; poll again */
#define PNL_TIMEOUT 0x8E718E71U          /* a deadline passed */
#define PNL_DEVICE_FAULT 0x99669966U     /* the device reported an error or broke its contract */
#define PNL_INTEGRITY 0xB24DB24DU        /* data differ from what was proved at load */
#define PNL_FAULT_LATCHED 0xD42BD42BU    /* an earlier fault is latched; only a new load clears it */
#define PNL_INTERNAL 0xE817E817U         /* broken invariant: a defect in Pianola */

/* Where a fault was noticed. */
typedef uint8_t pnl_fault_stage_t;
#define PNL_FAULT_STAGE_NONE 0U
#define PNL_FAULT_STAGE_RESET 1U     /* the device could not be brought to its initial state */
#define PNL_FAULT_STAGE_PROGRAM 2U   /* regions or host memory were not accepted */
#define PNL_FAULT_STAGE_SETUP 3U     /* the set-up script */
#define PNL_FAULT_STAGE_READ_BACK 4U /* the device does not hold what was authenticated */
#define PNL_FAULT_STAGE_SUBMIT 5U    /* the device did not accept a step that was proved to fit */
#define PNL_FAULT_STAGE_STEP 6U      /* a step, or the prologue or epilogue around steps */
#define PNL_FAULT_STAGE_SELF_TEST 7U /* a self-test vector gave another output */
#define PNL_FAULT_STAGE_PARAMETER 8U /* a parameter's words could not all be set */
#define PNL_FAULT_STAGE_SCRUB 9U     /* traces or weights are not the binary's any more */
#define PNL_FAULT_STAGE_STATE 10U    /* the session's own state has changed */
#define PNL_FAULT_STAGE_ARM 11U      /* the two validations of one binary do not agree */

/* What a device reports as its fault. */
typedef uint32_t pnl_device_fault_t;
#define PNL_DEVICE_FAULT_NONE 0U
#define PNL_DEVICE_FAULT_UNKNOWN_COMMAND 1U
#define PNL_DEVICE_FAULT_BAD_ARGUMENT 2U
#define PNL_DEVICE_FAULT_UNKNOWN_KERNEL 3U
#define PNL_DEVICE_FAULT_BUS 4U
#define PNL_DEVICE_FAULT_HOST_MEMORY 5U
#define PNL_DEVICE_FAULT_TRACE_OVERRUN 6U
#define PNL_DEVICE_FAULT_LOST 7U

/* What the device says of its own work in every completion record, from the weakest to the strongest. */
typedef uint8_t pnl_attestation_t;
#define PNL_ATTESTATION_UNSPECIFIED 0U
#define PNL_ATTESTATION_NOTHING 1U
#define PNL_ATTESTATION_COUNT 2U
#define PNL_ATTESTATION_DIGEST 3U

/* What the command set's cycles are. */
typedef uint8_t pnl_cost_kind_t;
#define PNL_COST_KIND_UNSPECIFIED 0U
#define PNL_COST_KIND_EXACT 1U
#define PNL_COST_KIND_UPPER_BOUND 2U
#define PNL_COST_KIND_NOT_PUBLISHED 3U

/* Whether steps may do without their transfers, and what speaks against it. */
typedef uint8_t pnl_views_answer_t;
#define PNL_VIEWS_ANSWER_NOT_LOOKED 0U
#define PNL_VIEWS_ANSWER_SEVERAL_DEVICES 1U
#define PNL_VIEWS_ANSWER_STEPS_OVERLAP 2U
#define PNL_VIEWS_ANSWER_IN_PIECES 3U
#define PNL_VIEWS_ANSWER_SHARED 4U
#define PNL_VIEWS_ANSWER_INPUT_WRITTEN 5U
#define PNL_VIEWS_ANSWER_INPUT_READ 6U
#define PNL_VIEWS_ANSWER_OUTPUT_WRITTEN 7U
#define PNL_VIEWS_ANSWER_PROVED 8U

/* The rule that refuses a binary: pnl_rule_id() names it. These two are no rules. */
typedef uint16_t pnl_rule_t;
#define PNL_RULE_NOT_RUN 0U       /* no check has been made: a verdict starts like this */
#define PNL_RULE_ACCEPTED 0x5ACEU /* every check has been made, and none refuses */

/* When a step's outputs are given out. What is neither is treated as VERIFIED. */
typedef uint32_t pnl_release_t;
#define PNL_RELEASE_VERIFIED 0x4DB2B24DU
#define PNL_RELEASE_AT_COMPLETION 0xB24D4DB2U
#define PNL_RELEASE_WITHIN_INTERVAL 0x17E8E817U

/* The least that a device must attest to be driven at all. What is none of them is treated as DIGEST. */
typedef uint32_t pnl_evidence_t;
#define PNL_EVIDENCE_DIGEST 0x39C6C639U
#define PNL_EVIDENCE_COUNT 0xC63939C6U
#define PNL_EVIDENCE_NOTIFICATION 0x6C93936CU

/* Whose binaries are loaded. What is neither is treated as REQUIRED. */
typedef uint32_t pnl_signature_policy_t;
#define PNL_SIGNATURE_POLICY_REQUIRED 0x63C99C36U /* production */
#define PNL_SIGNATURE_POLICY_OPTIONAL 0x9C3663C9U /* development: unsigned ones, too */

/* What is neither is treated as REVOKED. */
typedef uint32_t pnl_key_state_t;
#define PNL_KEY_STATE_TRUSTED 0x4BB4B44BU
#define PNL_KEY_STATE_REVOKED 0xB44B4BB4U

/* Views: memory of another owner, with its length. The function that takes one says how long it must stay valid. NULL
 * is permitted if the length is 0. */
typedef struct PNL_TWIN {
    const uint8_t* data;
    size_t size; /* bytes */
} pnl_bytes_t;

typedef struct PNL_TWIN {
    uint8_t* data;
    size_t size; /* bytes */
} pnl_memory_t;

#endif
