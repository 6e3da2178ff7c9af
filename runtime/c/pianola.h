/* Pianola for applications in C: one trace binary on its device, from file to results.
 *
 * The C counterpart of runtime/include/pianola/session.h; every public function of Session is here, under the name
 * pnl_session_<name>, and does what is said there. docs/guide/c_api.md has an example.
 *
 * Memory: nothing is allocated. The application defines objects of the types below, whose sizes the build has measured
 * for its target and profile (pianola_sizes.h). Ownership: what a call is given stays the caller's; where the library
 * keeps a pointer after the call, the comment says until when.
 * Units: sizes in bytes, times in microseconds, unless the name says otherwise.
 * Re-entrancy: none. One core and one task call a session. A call from inside a callback of a port, or from an
 * interrupt over another call, answers PNL_INVALID_STATE and does nothing, except that views become empty and
 * pnl_session_load() resets its verdict: give it one that is not the outer call's. Functions that take a const session
 * may be called there. Sessions are independent of each other.
 * Errors: a session that is NULL, that pnl_session_init() has not set up, that was closed, or that was moved to another
 * address, gives PNL_INVALID_STATE (functions without a status: false, 0 or NULL). A NULL that a call does not admit
 * gives PNL_INVALID_ARGUMENT, and nothing is done. The caller must ensure what cannot be checked: that pointers
 * lead to memory of the size that is given with them.
 */
#ifndef PIANOLA_H
#define PIANOLA_H

#include "pianola_port.h"
#include "pianola_sizes.h" /* made by the build */
#include "pianola_status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PNL_FILE_ALIGNMENT_BYTES 64U /* of a binary in memory */
#define PNL_MAX_PARAMETERS 8U
#define PNL_MAX_PATH_STEPS 5U
#define PNL_NO_INDEX 0xFFFFFFFFU

/* Stack that calls take below the caller's frame, a C++ device driver included: pnl_session_submit(), _poll(); and
 * pnl_session_load(). A port in C adds its own functions' frames to the latter's. */
#define PNL_SUBMIT_POLL_STACK_BYTES 2048U
#define PNL_LOAD_STACK_BYTES 4096U

/* Storage. Never copied, moved or looked into. */
typedef struct {
    uint32_t private_mark;
    uint64_t private_words[PNL_SESSION_WORDS];
} pnl_session_t;

/* Memory that loading uses while it runs; free afterwards. */
typedef struct {
    uint64_t private_words[PNL_WORKSPACE_WORDS];
} pnl_workspace_t;

/* Memory that pnl_validate() uses while it runs; free afterwards. */
typedef struct {
    uint64_t private_words[PNL_VALIDATION_WORDS];
} pnl_validation_t;

/* ---- Configuration ---- */

/* `pianola pubkey --format c --language c99` makes one. */
typedef struct PNL_TWIN {
    uint8_t id[PNL_KEY_ID_BYTES];
    uint8_t key[PNL_PUBLIC_KEY_BYTES];
    pnl_key_state_t state;
} pnl_trusted_key_t;

typedef struct PNL_TWIN {
    pnl_signature_policy_t signatures;
    const pnl_trusted_key_t* keys;
    size_t key_count;
    const pnl_verifier_t* verifier;     /* NULL: no signature holds */
    uint32_t lowest_security_version;   /* lower ones are refused; the platform's counter may ask for more */
    pnl_digest_engine_t* digest_engine; /* NULL: the loading core computes digests */
} pnl_trust_t;

/* For PNL_RELEASE_WITHIN_INTERVAL; refused (TGT-INTERVAL) unless ftti_us is reaction_us and two periods at least,
 * and period_us is not 0. */
typedef struct PNL_TWIN {
    uint32_t ftti_us;     /* fault tolerant time interval: from a fault to a hazard, if nothing reacts */
    uint32_t period_us;   /* the longest time from the completion of a step to that of the next one */
    uint32_t reaction_us; /* from a latched fault to the safe state of the system */
} pnl_fault_interval_t;

typedef struct PNL_TWIN {
    pnl_trust_t trust;
    pnl_release_t release;
    pnl_evidence_t least_evidence;
    pnl_fault_interval_t interval; /* zeros for other releases */
} pnl_settings_t;

/* Constant, in flash: it and all that it points to outlive the session. */
typedef struct {
    uint32_t struct_size;         /* sizeof(pnl_session_config_t) */
    uint32_t version;             /* PNL_API_VERSION */
    pnl_device_t* const* devices; /* rows times columns of them, in row-major order */
    uint32_t rows;                /* 1 for one device */
    uint32_t columns;             /* 1 for one device */
    pnl_platform_t* platform;
    const pnl_command_set_t* command_set;
    pnl_settings_t settings;
} pnl_session_config_t;

/* ---- Verdict ---- */

typedef struct PNL_TWIN {
    const char* name;
    uint32_t index; /* PNL_NO_INDEX: none */
} pnl_path_step_t;

/* From the manifest to the field; the first `count` steps say something. */
typedef struct PNL_TWIN {
    pnl_path_step_t steps[PNL_MAX_PATH_STEPS];
    uint32_t count;
} pnl_path_t;

/* Why a binary is refused. Written by the library, read by the application. */
typedef struct PNL_TWIN {
    pnl_status_t status;
    pnl_rule_t rule;
    pnl_path_t path;
    uint32_t private_flow;
    uint32_t file_offset; /* of the offending field, or of the table that has it */
    uint64_t actual;      /* what the file says, where the rule compares numbers */
    uint64_t limit;       /* what it is compared with */
} pnl_verdict_t;

/* Texts of a rule, static: "ENV-MAGIC"; what is wrong; what the rule protects from. The id of PNL_RULE_ACCEPTED is
 * "ACCEPTED"; of whatever else is no rule, "NOT-RUN". */
const char* pnl_rule_id(pnl_rule_t rule);
const char* pnl_rule_message(pnl_rule_t rule);
const char* pnl_rule_reason(pnl_rule_t rule);

/* Writes "traces[0].commands[17].dst" and a terminating zero; cuts off what does not fit. Returns the length without
 * the zero; 0 for NULL. */
size_t pnl_verdict_path(const pnl_verdict_t* verdict, char* text, size_t text_size);

/* ---- What a binary needs and does ---- */

typedef struct PNL_TWIN {
    uint32_t first;
    uint32_t count; /* 0: the binary has no such script */
    uint32_t deadline_us;
    uint32_t queues_used;
    uint64_t cycles; /* device cycles on the critical path */
    uint32_t executed_commands[PNL_MESH_DEVICES][PNL_MAX_QUEUES];
} pnl_planned_script_t;

typedef struct PNL_TWIN {
    uint32_t bytes;
    uint32_t devices; /* a bit each */
    uint32_t piece_bytes;
    uint32_t stride_bytes;
} pnl_planned_tensor_t;

typedef struct PNL_TWIN {
    uint32_t minimum;
    uint32_t maximum;
    uint32_t alignment;
    uint32_t first_point;
    uint32_t point_count;
} pnl_planned_parameter_t;

/* The front part of the C++ Plan, whose comments explain the members. */
typedef struct PNL_TWIN {
    pnl_attestation_t attestation;
    pnl_cost_kind_t costs;
    bool is_pipelined;
    pnl_views_answer_t views;
    uint8_t views_tensor; /* an input; from PNL_MAX_INPUTS on an output */
    uint8_t views_command;
    uint8_t unused[6];
    uint32_t steps_in_flight;
    uint32_t input_count;
    uint32_t output_count;
    uint32_t queue_count;
    uint32_t device_count;
    uint32_t trace_region_base;
    uint32_t region_count;
    uint32_t parameter_count;
    uint32_t patch_count;
    pnl_planned_script_t step;
    pnl_planned_script_t prologue;
    pnl_planned_script_t epilogue;
    pnl_planned_tensor_t inputs[PNL_MAX_INPUTS];
    pnl_planned_tensor_t outputs[PNL_MAX_OUTPUTS];
    pnl_region_t regions[PNL_MAX_REGIONS];
    pnl_planned_parameter_t parameters[PNL_MAX_PARAMETERS];
} pnl_plan_t;

typedef struct PNL_TWIN {
    uint32_t index; /* in the binary's order */
    uint32_t value;
} pnl_parameter_value_t;

/* ---- The session ---- */

/* Makes a session of the storage. session_bytes is sizeof(pnl_session_t): an application that was compiled for another
 * profile than the library is found out here.
 *   PNL_OK
 *   PNL_INVALID_ARGUMENT  NULL, storage not aligned to 8 bytes, a wrong struct_size or version, or an object that has
 *                         not been initialised, as far as zeroed storage shows it
 *   PNL_CAPACITY          session_bytes is not what the library needs, or there are no, or too many, devices
 *   PNL_INVALID_STATE     there is a session at this place, which is not closed */
pnl_status_t pnl_session_init(pnl_session_t* session, size_t session_bytes, const pnl_session_config_t* config);

/* Unloads what is loaded and ends the session: the storage is free. PNL_OK; PNL_INVALID_STATE while a step is under
 * way: the session stays. With whatever else is returned it has ended, too, but the device could not be reset, or a
 * fault was latched: it may be writing still, if pnl_session_fault() said so before. */
pnl_status_t pnl_session_close(pnl_session_t* session);

/* Validates the file, programs the device and runs the set-up. Blocks for as long as that takes. The file stays in
 * place, unchanged, until the next load or unload; the workspace is free afterwards, and needs no contents before.
 * verdict is written in every case where it is not NULL, also where a call from inside a callback is refused; NULL is
 * refused.
 *   PNL_OK                ready for steps
 *   PNL_REFUSED           verdict says why; the device was not touched; the session is empty
 *   PNL_INVALID_STATE     a step is under way
 *   PNL_INVALID_ARGUMENT  NULL
 *   PNL_TIMEOUT, PNL_DEVICE_FAULT, PNL_INTEGRITY   a fault has latched */
pnl_status_t pnl_session_load(pnl_session_t* session, const uint8_t* file, size_t file_bytes,
                              pnl_workspace_t* workspace, pnl_verdict_t* verdict);
/* PNL_OK; PNL_INVALID_STATE while a step is under way; PNL_FAULT_LATCHED; or the fault that latched now. */
pnl_status_t pnl_session_unload(pnl_session_t* session);
bool pnl_session_is_loaded(const pnl_session_t* session);

/* Zero-copy I/O: where to write input `index` for the next step, or to read output `index` of the last one. The view is
 * the caller's until the next submit, start, stop, reset_state, run or self-test. It is empty in all cases but PNL_OK.
 * PNL_INVALID_ARGUMENT: no such tensor, or no views; PNL_INVALID_STATE; PNL_FAULT_LATCHED; PNL_INTEGRITY. */
bool pnl_session_has_views(const pnl_session_t* session);
pnl_status_t pnl_session_input_view(pnl_session_t* session, uint32_t index, pnl_memory_t* view);
pnl_status_t pnl_session_output_view(pnl_session_t* session, uint32_t index, pnl_bytes_t* view);

/* Prologue and epilogue: once before the first step, and after the last. Tensors are those of a pipelined binary, else
 * there are none. poll completes them. */
pnl_status_t pnl_session_start(pnl_session_t* session, const pnl_bytes_t* inputs, size_t input_count);
pnl_status_t pnl_session_stop(pnl_session_t* session, const pnl_memory_t* outputs, size_t output_count);

/* New values of declared parameters, from the next submission on: all, or none. */
pnl_status_t pnl_session_set_parameters(pnl_session_t* session, const pnl_parameter_value_t* values, size_t count);

/* Starts one step on what the views hold. Never waits for a step; a call that latches a fault takes as long as the
 * device's reset(). */
pnl_status_t pnl_session_submit_views(pnl_session_t* session);
/* Starts one step, with transfers. Never waits for a step; a call that latches a fault takes as long as the device's
 * reset(). The lists are free after the call; the tensors that they name stay, inputs unchanged and outputs unread,
 * until poll has returned something else than PNL_PENDING. */
pnl_status_t pnl_session_submit(pnl_session_t* session, const pnl_bytes_t* inputs, size_t input_count,
                                const pnl_memory_t* outputs, size_t output_count);
/* Bounded work. PNL_OK: completed, outputs are valid; PNL_PENDING; PNL_INVALID_STATE: nothing is under way;
 * PNL_TIMEOUT, PNL_DEVICE_FAULT, PNL_INTEGRITY: a fault has latched now; PNL_FAULT_LATCHED: it had before. */
pnl_status_t pnl_session_poll(pnl_session_t* session);
/* Waits through the platform's idle() until the oldest script is released; what poll returns then. Verifies all slices
 * in one part: the state's seals are checked before it, and not for each slice, as by poll; those of what no call
 * changes are checked again after it. */
pnl_status_t pnl_session_wait(pnl_session_t* session);
/* The step has completed and is not released yet: no sign of the device will come, only poll helps. */
bool pnl_session_is_verifying(const pnl_session_t* session);
/* One whole inference; blocks. */
pnl_status_t pnl_session_run(pnl_session_t* session, const pnl_bytes_t* inputs, size_t input_count,
                             const pnl_memory_t* outputs, size_t output_count);
/* Gives state its first contents again; blocks. */
pnl_status_t pnl_session_reset_state(pnl_session_t* session);

/* Replays one self-test vector, or all; blocks. scratch holds pnl_session_output_bytes(). Before
 * pnl_session_confirm_start() only the call that replays all counts, not calls for single ones. */
pnl_status_t pnl_session_self_test(pnl_session_t* session, uint32_t index, uint8_t* scratch, size_t scratch_bytes);
pnl_status_t pnl_session_self_test_all(pnl_session_t* session, uint8_t* scratch, size_t scratch_bytes);
uint32_t pnl_session_self_test_count(const pnl_session_t* session);
/* All vectors, each all inputs, then all outputs, of one step. They lie in the file. */
pnl_bytes_t pnl_session_self_tests(const pnl_session_t* session);
/* Bytes of all outputs of one step. */
uint32_t pnl_session_output_bytes(const pnl_session_t* session);

/* Compares the next slice of traces and weights with the binary; scrub_calls() of them are one period. */
pnl_status_t pnl_session_scrub(pnl_session_t* session);
uint32_t pnl_session_scrub_calls(const pnl_session_t* session);
/* The number of steps that may share one verification of everything; 0 if the interval does not suffice, or is NULL. */
uint32_t pnl_session_shared_steps(const pnl_fault_interval_t* interval);
/* Steps in which PNL_RELEASE_WITHIN_INTERVAL verifies everything once; 1 with PNL_RELEASE_VERIFIED, 0 with nothing. */
uint32_t pnl_session_release_steps(const pnl_session_t* session);

/* The start was good: from now on nothing older may be loaded. */
pnl_status_t pnl_session_confirm_start(pnl_session_t* session);

/* Of the binary that is loaded; valid until the next load or unload. NULL without a session. */
const pnl_plan_t* pnl_session_plan(const pnl_session_t* session);
/* The fault that is latched, or one with the status PNL_OK; valid until the next call. NULL without a session. */
const pnl_fault_t* pnl_session_fault(const pnl_session_t* session);
/* The last faults of the session's whole life, the latest first. NULL from PNL_FAULT_RECORDS on. */
const pnl_fault_t* pnl_session_past_fault(const pnl_session_t* session, uint32_t index);
uint32_t pnl_session_fault_count(const pnl_session_t* session);
uint32_t pnl_session_steps_completed(const pnl_session_t* session);

/* ---- Without a session ---- */

/* Runs every check that needs no device at work: whether a device of this description would load the file. For updates
 * before they are activated, while a session goes on. pnl_session_load() also checks the platform's counter
 * (AUT-COUNTER, AUT-VERSION), least_evidence (TGT-EVIDENCE), the times of PNL_RELEASE_WITHIN_INTERVAL (TGT-INTERVAL),
 * and that the devices of a mesh are alike (TGT-MESH). To check the first two here, too: put the counter's value into
 * trust->lowest_security_version where it is higher, and call pnl_is_enough(). The file is 64-byte
 * aligned. description->capacities NULL stands for the runtime's own, in a build of profile host for those of profile
 * default.
 *   PNL_OK
 *   PNL_REFUSED           verdict says why
 *   PNL_INVALID_ARGUMENT  NULL, storage_bytes other than sizeof(pnl_validation_t), a command set or a trust that is not
 *                         initialised, or a description without family */
pnl_status_t pnl_validate(const uint8_t* file, size_t file_bytes, const pnl_device_description_t* description,
                          const pnl_command_set_t* command_set, const pnl_trust_t* trust, pnl_validation_t* storage,
                          size_t storage_bytes, pnl_verdict_t* verdict);

/* Whether a device that attests this may be driven. */
bool pnl_is_enough(pnl_attestation_t attestation, pnl_evidence_t least);

#ifdef __cplusplus
}
#endif

#endif
