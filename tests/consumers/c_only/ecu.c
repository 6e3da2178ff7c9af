/* usage: ecu FILE.ptb. An ECU whose port is C alone. Its accelerator is another one than the binary's: everything up to
 * the target is checked, the digest among it, and the rule that refuses it is printed. */
#include <pianola.h>
#include <stdio.h>

static union {
    uint64_t aligned[1U << 19]; /* a linker places a binary at a multiple of PNL_FILE_ALIGNMENT_BYTES */
    uint8_t bytes[1U << 22];
} flash;
static pnl_session_t session;
static pnl_workspace_t workspace;
static pnl_verdict_t verdict;
static uint32_t device_calls;

static pnl_status_t describe(const void* context, pnl_device_description_t* description) {
    (void)context;
    description->family = "an accelerator of ours";
    description->attestation = PNL_ATTESTATION_DIGEST;
    description->costs = PNL_COST_KIND_EXACT;
    return PNL_OK;
}
static pnl_status_t fail(void) {
    device_calls++;
    return PNL_DEVICE_FAULT;
}
static pnl_status_t reset(void* c) {
    (void)c;
    return fail();
}
static pnl_status_t program_region(void* c, const pnl_region_t* r) {
    (void)c;
    (void)r;
    return fail();
}
static pnl_status_t programmed_region(const void* c, uint32_t i, pnl_region_t* r) {
    (void)c;
    (void)i;
    (void)r;
    return fail();
}
static pnl_status_t read_back(void* c, uint32_t a, uint8_t* o, size_t s) {
    (void)c;
    (void)a;
    (void)o;
    (void)s;
    return fail();
}
static pnl_status_t patch_word(void* c, uint32_t a, uint32_t w) {
    (void)c;
    (void)a;
    (void)w;
    return fail();
}
static pnl_status_t bind_source(void* c, uint32_t s, const uint8_t* m, size_t z) {
    (void)c;
    (void)s;
    (void)m;
    (void)z;
    return fail();
}
static pnl_status_t bind_destination(void* c, uint32_t s, uint8_t* m, size_t z) {
    (void)c;
    (void)s;
    (void)m;
    (void)z;
    return fail();
}
static void bound(const void* c, uint32_t s, pnl_bytes_t* b) {
    (void)c;
    (void)s;
    (void)b;
}
static uint8_t* host_view(void* c, uint32_t a, uint32_t s) {
    (void)c;
    (void)a;
    (void)s;
    return NULL;
}
static void give(void* c, const uint8_t* v, size_t s) {
    (void)c;
    (void)v;
    (void)s;
}
static void take(void* c, uint8_t* v, size_t s) {
    (void)c;
    (void)v;
    (void)s;
}
static pnl_status_t enqueue(void* c, uint32_t q, const pnl_queue_command_t* m) {
    (void)c;
    (void)q;
    (void)m;
    return fail();
}
static pnl_status_t ring_doorbell(void* c, uint32_t q) {
    (void)c;
    (void)q;
    return fail();
}
static pnl_status_t completion(void* c, uint32_t q, uint32_t t, pnl_completion_t* r) {
    (void)c;
    (void)q;
    (void)t;
    (void)r;
    return fail();
}
static const pnl_device_ops_t device_ops = {
    sizeof(pnl_device_ops_t), PNL_API_VERSION, describe, reset, program_region, programmed_region, read_back,
    patch_word, bind_source, bind_destination, bound, bound, host_view, give, take, enqueue, ring_doorbell, reset,
    completion};

static uint64_t now_us(void* c) {
    uint64_t* const time_us = c;
    *time_us += 1U;
    return *time_us;
}
static void nothing(void* c) {
    (void)c;
}
static pnl_status_t lowest(void* c, uint32_t* version) {
    (void)c;
    *version = 0U;
    return PNL_OK;
}
static pnl_status_t raise(void* c, uint32_t version) {
    (void)c;
    (void)version;
    return PNL_OK;
}
static void safe_state(void* c, const pnl_fault_t* fault) {
    (void)c;
    (void)fault;
}
static const pnl_platform_ops_t platform_ops = {
    sizeof(pnl_platform_ops_t), PNL_API_VERSION, now_us, nothing, nothing, lowest, raise, safe_state};

static pnl_status_t decode(const void* c, const uint32_t* w, size_t n, pnl_decode_state_t* s, pnl_decoded_command_t* m,
                           pnl_decode_error_t* e) {
    (void)c;
    (void)w;
    (void)n;
    (void)s;
    (void)m;
    e->field = "header";
    return PNL_REFUSED;
}
static void kernel(const void* c, uint32_t i, pnl_kernel_t* k) {
    (void)c;
    (void)i;
    (void)k;
}
static pnl_patch_kind_t patch_kind(const void* c, const uint32_t* w, size_t n, uint32_t i) {
    (void)c;
    (void)w;
    (void)n;
    (void)i;
    return PNL_PATCH_NONE;
}
static uint32_t queue_words(const void* c, const pnl_queue_command_t* m) {
    (void)c;
    (void)m;
    return 1U;
}
static uint64_t queue_cycles(const void* c, const pnl_queue_command_t* m) {
    (void)c;
    (void)m;
    return 1U;
}
static uint64_t seal(const void* c, uint64_t d, uint32_t n, uint64_t t, pnl_queue_command_t* m) {
    (void)c;
    (void)m;
    return (d ^ t) + n;
}
static uint64_t trace_digest(const void* c, uint64_t d, const uint32_t* w, size_t n) {
    (void)c;
    (void)w;
    return d + n;
}
static const pnl_command_set_ops_t command_set_ops = {
    sizeof(pnl_command_set_ops_t), PNL_API_VERSION, decode, kernel, patch_kind, queue_words, queue_cycles, seal,
    trace_digest};

static pnl_device_t device;
static pnl_platform_t platform;
static pnl_command_set_t command_set;
static pnl_device_t* const devices[1] = {&device};
static const pnl_session_config_t config = {
    sizeof(pnl_session_config_t), PNL_API_VERSION, devices, 1U, 1U, &platform, &command_set,
    {{PNL_SIGNATURE_POLICY_OPTIONAL, NULL, 0U, NULL, 0U, NULL}, PNL_RELEASE_VERIFIED, PNL_EVIDENCE_DIGEST,
     {0U, 0U, 0U}}};

int main(int argc, char** argv) {
    static uint64_t time_us;
    static uint8_t* binary;
    char path[64];
    size_t size = 0U;
    FILE* const file = (argc == 2) ? fopen(argv[1], "rb") : NULL;
    if (file == NULL) {
        return 100;
    }
    binary = &flash.bytes[(PNL_FILE_ALIGNMENT_BYTES - ((uintptr_t)flash.bytes % PNL_FILE_ALIGNMENT_BYTES)) %
                          PNL_FILE_ALIGNMENT_BYTES];
    size = fread(binary, 1U, sizeof(flash.bytes) - PNL_FILE_ALIGNMENT_BYTES, file);
    (void)fclose(file);
    if ((pnl_device_init(&device, &device_ops, NULL) != PNL_OK) ||
        (pnl_platform_init(&platform, &platform_ops, &time_us) != PNL_OK) ||
        (pnl_command_set_init(&command_set, &command_set_ops, NULL) != PNL_OK) ||
        (pnl_session_init(&session, sizeof(session), &config) != PNL_OK)) {
        return 101;
    }
    if (pnl_session_load(&session, binary, size, &workspace, &verdict) != PNL_REFUSED) {
        return 102;
    }
    (void)pnl_verdict_path(&verdict, path, sizeof(path));
    (void)printf("%s %s\n", pnl_rule_id(verdict.rule), path);
    return ((device_calls == 0U) && (pnl_session_close(&session) != PNL_INVALID_STATE)) ? 3 : 103;
}
