/* What a port or an integrator implements in C: Device, Platform, CommandSet, and the optional signature verifier and
 * digest engine.
 *
 * Each is a constant table of functions, to be kept in flash, and a context, which every function gets as its first
 * argument and which the library never looks into. pnl_<interface>_init() makes an object of both, in storage of the
 * application; sessions are configured with the addresses of such objects. An image has the code of those interfaces
 * that it initialises. Objects, tables and contexts outlive every session that uses them. Each init gives
 *   PNL_OK
 *   PNL_INVALID_ARGUMENT  NULL, storage not aligned to 8 bytes, a wrong struct_size or version, or a function that is
 *                         missing
 * Objects of a port in C++ need no init: cpp_ports.h, which also gives the conformance kit a port in C.
 *
 * The contract of each function is that of the C++ method of the same name (runtime/include/pianola/device.h,
 * platform.h, command_set.h, signature.h, digest_engine.h); here is what it must do in short. All are called from
 * inside the session's calls, on the same core and stack. None may block, except where it says so, or call the same
 * session: such a call answers PNL_INVALID_STATE and does nothing, except that views become empty and
 * pnl_session_load() resets its verdict, which therefore must not be that of the outer call.
 *
 * Structures mirror their C++ twins member by member; the library does not compile where they differ.
 */
#ifndef PIANOLA_PORT_H
#define PIANOLA_PORT_H

#include "pianola_sizes.h" /* made by the build */
#include "pianola_status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PNL_DIGEST_BYTES 32U     /* SHA-256 */
#define PNL_SIGNATURE_BYTES 64U  /* ECDSA P-256: r, then s, big-endian */
#define PNL_PUBLIC_KEY_BYTES 64U /* x, then y, big-endian */
#define PNL_KEY_ID_BYTES 8U
#define PNL_MAX_EXTENTS_PER_COMMAND 6U
#define PNL_MAX_DECODE_STATE_WORDS 96U
#define PNL_MAX_COMMAND_WORDS 64U /* of the longest command of a trace */

/* What a device has to hold: a driver's arrays have these sizes. PNL_STEPS_IN_FLIGHT, in pianola_sizes.h, is how many
 * of a queue's last completion records are kept. */
#define PNL_MAX_INPUTS 8U
#define PNL_MAX_OUTPUTS 8U
#define PNL_MAX_QUEUES 2U
#define PNL_MAX_REGIONS 8U
#define PNL_MAX_EVENTS 8U       /* `event` of a queue command is below it */
#define PNL_MAX_CORES 64U       /* of the grid */
#define PNL_MAX_NAME_BYTES 128U /* of the family */
/* `slot` of a queue command is below these: weights and traces, then each input, or output, of each step in flight. */
#define PNL_WEIGHTS_SLOT 0U /* of sources: the weights segment of the file */
#define PNL_SOURCE_SLOTS (2U + (PNL_MAX_INPUTS * PNL_STEPS_IN_FLIGHT))
#define PNL_DESTINATION_SLOTS (PNL_MAX_OUTPUTS * PNL_STEPS_IN_FLIGHT)

/* ---- Device ---- */

struct pnl_capacities; /* of a profile of the runtime; opaque */

/* What the device is: compared field by field with the binary's target. */
typedef struct PNL_TWIN {
    const char* family; /* static lifetime */
    uint32_t command_set_id;
    uint32_t command_set_version;
    uint8_t kernel_library[PNL_DIGEST_BYTES];
    uint32_t dram_base;
    uint32_t dram_bytes;
    uint32_t l1_base;
    uint32_t l1_bytes;
    uint32_t file_base; /* these two: where the device reads the file's weights segment in place; 0: it cannot */
    uint32_t file_bytes;
    uint32_t trace_region_bytes; /* the last bytes of DRAM */
    uint32_t clock_khz;
    uint32_t core_khz; /* these two: of a core that gives clock_khz; else 0 */
    uint32_t millicycles_per_instruction;
    uint32_t queue_count;
    uint32_t ring_words; /* capacity of each queue's ring */
    uint32_t grid_columns;
    uint32_t grid_rows;
    uint32_t dram_banks;
    pnl_attestation_t attestation;
    pnl_cost_kind_t costs;
    uint32_t cost_model;                     /* not 0 */
    uint32_t weights_layout;                 /* not 0 */
    const struct pnl_capacities* capacities; /* set to the runtime's own: leave it as it is */
    uint32_t mesh_rows;                      /* the session's: leave it as it is */
    uint32_t mesh_columns;
} pnl_device_description_t;

/* A range of device memory and who may touch it. The device refuses everything else. */
typedef struct PNL_TWIN {
    uint32_t base;
    uint32_t size_bytes;
    bool kernels_read;
    bool kernels_write;
    bool queues_read;
    bool queues_write;
    bool fetch;
} pnl_region_t;

typedef uint8_t pnl_queue_command_kind_t;
#define PNL_QUEUE_COMMAND_UNSPECIFIED 0U
#define PNL_QUEUE_COMMAND_WRITE 1U        /* host memory -> device memory */
#define PNL_QUEUE_COMMAND_READ 2U         /* device memory -> host memory */
#define PNL_QUEUE_COMMAND_REPLAY 3U       /* run the trace at `address` */
#define PNL_QUEUE_COMMAND_RECORD_EVENT 4U /* the event's counter becomes `value` */
#define PNL_QUEUE_COMMAND_WAIT_EVENT 5U   /* until the counter has reached `value` */
#define PNL_QUEUE_COMMAND_NOTIFY 6U       /* completion record, `value` its token */

typedef struct PNL_TWIN {
    pnl_queue_command_kind_t kind;
    uint32_t address;     /* device address: write, read, replay */
    uint32_t size_bytes;  /* write, read, replay */
    uint32_t slot;        /* write, read: bound host memory */
    uint32_t slot_offset; /* write, read: first byte inside it */
    uint32_t event;
    uint32_t value;
    uint32_t check; /* pnl_command_set_ops_t::seal */
} pnl_queue_command_t;

/* What a queue publishes with a notification, or when it stops. What the device does not attest stays 0. */
typedef struct PNL_TWIN {
    uint32_t token;
    uint32_t executed_commands; /* since reset, wrapping */
    uint64_t digest;
    uint64_t time_cycles;
    pnl_device_fault_t fault;
    uint32_t fault_command;
    uint32_t fault_address;
} pnl_completion_t;

typedef struct {
    uint32_t struct_size; /* sizeof(pnl_device_ops_t) */
    uint32_t version;     /* PNL_API_VERSION */
    /* Sets every member of the description but those that say "leave it as it is": contents are arbitrary before. */
    pnl_status_t (*describe)(const void* context, pnl_device_description_t* description);
    /* Stops queues, empties rings, forgets regions, memory, faults and events. Blocks for a bounded time. */
    pnl_status_t (*reset)(void* context);
    /* One in the file window lies in the memory of slot 0, which is bound before, and permits no writes. */
    pnl_status_t (*program_region)(void* context, const pnl_region_t* region);
    /* What the device enforces, from its own registers; PNL_INVALID_ARGUMENT where there are fewer. */
    pnl_status_t (*programmed_region)(const void* context, uint32_t index, pnl_region_t* region);
    pnl_status_t (*read_back)(void* context, uint32_t address, uint8_t* out, size_t size);
    pnl_status_t (*patch_word)(void* context, uint32_t address, uint32_t word);
    /* Cache maintenance of the memory is done here. Size 0 ends a binding. */
    pnl_status_t (*bind_source)(void* context, uint32_t slot, const uint8_t* memory, size_t size);
    pnl_status_t (*bind_destination)(void* context, uint32_t slot, uint8_t* memory, size_t size);
    /* What the device will use for a slot, from its own registers. `bound` arrives empty; it stays so where there is
     * none. Slot 0: what the file window shows, if there is a region in it. */
    void (*bound_source)(const void* context, uint32_t slot, pnl_bytes_t* bound);
    void (*bound_destination)(const void* context, uint32_t slot, pnl_bytes_t* bound);
    /* Where this core sees [address, address + size_bytes) of device memory; NULL where it does not. */
    uint8_t* (*host_view)(void* context, uint32_t address, uint32_t size_bytes);
    /* A view changes hands: cache maintenance is done here. */
    void (*give_to_device)(void* context, const uint8_t* view, size_t size);
    void (*take_from_device)(void* context, uint8_t* view, size_t size);
    /* Appends to the queue's ring; PNL_BUSY where it is full, and nothing was started. */
    pnl_status_t (*enqueue)(void* context, uint32_t queue, const pnl_queue_command_t* command);
    pnl_status_t (*ring_doorbell)(void* context, uint32_t queue);
    /* For a device that shares this core: runs it, for a bounded time. */
    pnl_status_t (*service)(void* context);
    /* PNL_OK: the queue has completed up to `token`, and completion is its record; PNL_PENDING; PNL_DEVICE_FAULT. */
    pnl_status_t (*completion)(void* context, uint32_t queue, uint32_t token, pnl_completion_t* completion);
} pnl_device_ops_t;

/* Storage; it begins with an object of C++. */
typedef struct {
    uint64_t private_words[PNL_DEVICE_WORDS];
} pnl_device_t;

pnl_status_t pnl_device_init(pnl_device_t* device, const pnl_device_ops_t* ops, void* context);

/* ---- Platform ---- */

/* What went wrong while loading or replaying. */
typedef struct PNL_TWIN {
    pnl_status_t status; /* PNL_TIMEOUT, PNL_DEVICE_FAULT, PNL_INTEGRITY; PNL_OK while there is no fault */
    pnl_fault_stage_t stage;
    bool device_stopped; /* if not, the device may still write to the outputs */
    uint8_t row;         /* of the device in its mesh */
    uint8_t column;
    uint32_t queue;
    uint32_t step;        /* token of the script: 1 is the set-up, 2 what is started first */
    uint64_t time_us;     /* platform time at which it was noticed */
    uint64_t started_us;  /* and from which the deadline ran: submission, or completion of the step before, if later */
    uint32_t deadline_us; /* of the step */
    pnl_device_fault_t device_fault;
    uint32_t command; /* commands that the queue had executed in this script */
    uint32_t address; /* device address, where there is one; of wrong bytes the start of their 64-byte piece */
} pnl_fault_t;

typedef struct {
    uint32_t struct_size; /* sizeof(pnl_platform_ops_t) */
    uint32_t version;     /* PNL_API_VERSION */
    /* Monotonic time in microseconds. Must advance while the session waits. */
    uint64_t (*now_us)(void* context);
    /* Blocking calls have nothing to do: sleep, at most until a deadline could be missed. */
    void (*idle)(void* context);
    /* A step has completed within its deadline, with the evidence that the device attests. */
    void (*serve_watchdog)(void* context);
    /* The counter against old binaries. Where it is not PNL_OK, nothing is loaded. Raising blocks until it is
     * stored. */
    pnl_status_t (*lowest_security_version)(void* context, uint32_t* version);
    pnl_status_t (*raise_security_version)(void* context, uint32_t version);
    /* A fault has latched: once per fault, before any call of the session reports it. */
    void (*enter_safe_state)(void* context, const pnl_fault_t* fault);
} pnl_platform_ops_t;

/* Storage; as pnl_device_t. */
typedef struct {
    uint64_t private_words[PNL_PLATFORM_WORDS];
} pnl_platform_t;

pnl_status_t pnl_platform_init(pnl_platform_t* platform, const pnl_platform_ops_t* ops, void* context);

/* ---- CommandSet ---- */

typedef uint8_t pnl_access_t;
#define PNL_ACCESS_UNSPECIFIED 0U
#define PNL_ACCESS_READ 1U
#define PNL_ACCESS_WRITE 2U

typedef uint8_t pnl_command_kind_t;
#define PNL_COMMAND_UNSPECIFIED 0U
#define PNL_COMMAND_LAUNCH 1U
#define PNL_COMMAND_COPY 2U
#define PNL_COMMAND_FILL 3U
#define PNL_COMMAND_BARRIER 4U
#define PNL_COMMAND_END 5U
#define PNL_COMMAND_DISPATCH 6U

typedef uint8_t pnl_patch_kind_t;
#define PNL_PATCH_NONE 0U
#define PNL_PATCH_ADDRESS 1U
#define PNL_PATCH_VALUE 2U

typedef struct PNL_TWIN {
    uint32_t count; /* never 0 */
    uint32_t stride_bytes;
} pnl_repeat_t;

/* Device memory that a command touches: exact, not a byte more, not a byte less. */
typedef struct PNL_TWIN {
    uint32_t address;    /* device address of the first byte */
    uint32_t size_bytes; /* of one run; never 0 */
    pnl_access_t access;
    const char* field; /* the command's field that names it; static lifetime */
    pnl_repeat_t inner;
    pnl_repeat_t outer;
} pnl_extent_t;

/* Opaque: add extents with pnl_extents_add(). */
typedef struct PNL_TWIN {
    pnl_extent_t private_extents[PNL_MAX_EXTENTS_PER_COMMAND];
    uint32_t private_count;
} pnl_extents_t;

typedef struct PNL_TWIN {
    pnl_command_kind_t kind;
    uint32_t length_words; /* that the command occupies, header included */
    uint32_t kernel_id;    /* launch and dispatch only */
    uint32_t core;         /* dispatch only */
    uint64_t cost_cycles;
    uint64_t core_cycles;
    pnl_extents_t extents;
} pnl_decoded_command_t;

typedef struct PNL_TWIN {
    const char* field; /* that is wrong; static lifetime */
    uint32_t word;     /* its index inside the command */
    bool unknown_command;
    bool unknown_kernel;
} pnl_decode_error_t;

/* What tells a kernel from others of its id. */
typedef struct PNL_TWIN {
    uint32_t version; /* of its results; 0: there is no such kernel */
    uint32_t argument_words;
    uint32_t cost_version;
} pnl_kernel_t;

/* What the commands of a trace have set so far. All zero before the first. */
typedef struct PNL_TWIN {
    uint32_t used; /* words that say something; those after them stay 0 */
    uint32_t words[PNL_MAX_DECODE_STATE_WORDS];
} pnl_decode_state_t;

/* False where the list is full, the access unspecified, or the range empty or past the end of the address space. */
bool pnl_extents_add(pnl_extents_t* extents, const pnl_extent_t* extent);

typedef struct {
    uint32_t struct_size; /* sizeof(pnl_command_set_ops_t) */
    uint32_t version;     /* PNL_API_VERSION */
    /* Decodes the command at words[0]; count words reach to the end of the trace. PNL_OK: every member of command is
     * set, its extents by pnl_extents_add(): there are none before; PNL_REFUSED: error says what is wrong. A pure
     * function of words and state. */
    pnl_status_t (*decode)(const void* context, const uint32_t* words, size_t count, pnl_decode_state_t* state,
                           pnl_decoded_command_t* command, pnl_decode_error_t* error);
    /* The kernel that launches and dispatches name by `id`. `kernel` arrives as zeros, and stays so where there is
     * none. */
    void (*kernel)(const void* context, uint32_t id, pnl_kernel_t* kernel);
    pnl_patch_kind_t (*patch_kind)(const void* context, const uint32_t* words, size_t count, uint32_t word);
    uint32_t (*queue_words)(const void* context, const pnl_queue_command_t* command);
    uint64_t (*queue_cycles)(const void* context, const pnl_queue_command_t* command);
    /* Sets command->check and returns what the device's digest becomes. */
    uint64_t (*seal)(const void* context, uint64_t digest, uint32_t number, uint64_t trace_digest,
                     pnl_queue_command_t* command);
    uint64_t (*trace_digest)(const void* context, uint64_t digest, const uint32_t* words, size_t count);
} pnl_command_set_ops_t;

/* Storage; as pnl_device_t. */
typedef struct {
    uint64_t private_words[PNL_COMMAND_SET_WORDS];
} pnl_command_set_t;

pnl_status_t pnl_command_set_init(pnl_command_set_t* command_set, const pnl_command_set_ops_t* ops,
                                  const void* context);

/* ---- Signatures and digests ---- */

typedef struct {
    uint32_t struct_size; /* sizeof(pnl_verifier_ops_t) */
    uint32_t version;     /* PNL_API_VERSION */
    /* PNL_OK: the signature (PNL_SIGNATURE_BYTES) over the digest (PNL_DIGEST_BYTES) is the key's
     * (PNL_PUBLIC_KEY_BYTES). Whatever else is returned counts as refusal. Blocks for a bounded time. */
    pnl_status_t (*verify)(const void* context, const uint8_t* digest, const uint8_t* signature, const uint8_t* key);
} pnl_verifier_ops_t;

/* Storage; as pnl_device_t. */
typedef struct {
    uint64_t private_words[PNL_VERIFIER_WORDS];
} pnl_verifier_t;

pnl_status_t pnl_verifier_init(pnl_verifier_t* verifier, const pnl_verifier_ops_t* ops, const void* context);

typedef struct {
    uint32_t struct_size; /* sizeof(pnl_digest_engine_ops_t) */
    uint32_t version;     /* PNL_API_VERSION */
    /* One message at a time: begin, update as often as needed, finish once. Each blocks for a bounded time. */
    pnl_status_t (*begin)(void* context);
    pnl_status_t (*update)(void* context, const uint8_t* bytes, size_t size);
    pnl_status_t (*finish)(void* context, uint8_t* digest);
} pnl_digest_engine_ops_t;

/* Storage; as pnl_device_t. */
typedef struct {
    uint64_t private_words[PNL_DIGEST_ENGINE_WORDS];
} pnl_digest_engine_t;

pnl_status_t pnl_digest_engine_init(pnl_digest_engine_t* engine, const pnl_digest_engine_ops_t* ops, void* context);

#ifdef __cplusplus
}
#endif

#endif
