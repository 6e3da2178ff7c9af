#include "docs/examples/c/tables.h"

#include <array>
#include <cstring>

#include "runtime/c/twins.h"

namespace pianola::tables {
namespace {

using c_api::twin;

[[nodiscard]] Device& device_at(void* context) noexcept {
    return *static_cast<Device*>(context);
}
[[nodiscard]] const Device& device_at(const void* context) noexcept {
    return *static_cast<const Device*>(context);
}
[[nodiscard]] Platform& platform_at(void* context) noexcept {
    return *static_cast<Platform*>(context);
}
[[nodiscard]] const CommandSet& command_set_at(const void* context) noexcept {
    return *static_cast<const CommandSet*>(context);
}
[[nodiscard]] constexpr pnl_status_t to_c(Status status) noexcept {
    return static_cast<pnl_status_t>(status);
}

extern "C" {

static pnl_status_t device_describe(const void* context, pnl_device_description_t* description) {
    return to_c(device_at(context).describe(*twin(description)));
}
static pnl_status_t device_reset(void* context) {
    return to_c(device_at(context).reset());
}
static pnl_status_t device_program_region(void* context, const pnl_region_t* region) {
    return to_c(device_at(context).program_region(*twin(region)));
}
static pnl_status_t device_programmed_region(const void* context, uint32_t index, pnl_region_t* region) {
    return to_c(device_at(context).programmed_region(index, *twin(region)));
}
static pnl_status_t device_read_back(void* context, uint32_t address, uint8_t* out, size_t size) {
    return to_c(device_at(context).read_back(address, {out, size}));
}
static pnl_status_t device_patch_word(void* context, uint32_t address, uint32_t word) {
    return to_c(device_at(context).patch_word(address, word));
}
static pnl_status_t device_bind_source(void* context, uint32_t slot, const uint8_t* memory, size_t size) {
    return to_c(device_at(context).bind_source(slot, {memory, size}));
}
static pnl_status_t device_bind_destination(void* context, uint32_t slot, uint8_t* memory, size_t size) {
    return to_c(device_at(context).bind_destination(slot, {memory, size}));
}
static void device_bound_source(const void* context, uint32_t slot, pnl_bytes_t* bound) {
    *twin(bound) = device_at(context).bound_source(slot);
}
static void device_bound_destination(const void* context, uint32_t slot, pnl_bytes_t* bound) {
    *twin(bound) = device_at(context).bound_destination(slot);
}
static uint8_t* device_host_view(void* context, uint32_t address, uint32_t size_bytes) {
    return device_at(context).host_view(address, size_bytes).data();
}
static void device_give(void* context, const uint8_t* view, size_t size) {
    device_at(context).give_to_device({view, size});
}
static void device_take(void* context, uint8_t* view, size_t size) {
    device_at(context).take_from_device({view, size});
}
static pnl_status_t device_enqueue(void* context, uint32_t queue, const pnl_queue_command_t* command) {
    return to_c(device_at(context).enqueue(queue, *twin(command)));
}
static pnl_status_t device_ring_doorbell(void* context, uint32_t queue) {
    return to_c(device_at(context).ring_doorbell(queue));
}
static pnl_status_t device_service(void* context) {
    return to_c(device_at(context).service());
}
static pnl_status_t device_completion(void* context, uint32_t queue, uint32_t token, pnl_completion_t* completion) {
    return to_c(device_at(context).completion(queue, token, *twin(completion)));
}

static uint64_t platform_now_us(void* context) {
    return platform_at(context).now_us();
}
static void platform_idle(void* context) {
    platform_at(context).idle();
}
static void platform_serve_watchdog(void* context) {
    platform_at(context).serve_watchdog();
}
static pnl_status_t platform_lowest_version(void* context, uint32_t* version) {
    return to_c(platform_at(context).lowest_security_version(*version));
}
static pnl_status_t platform_raise_version(void* context, uint32_t version) {
    return to_c(platform_at(context).raise_security_version(version));
}
static void platform_enter_safe_state(void* context, const pnl_fault_t* fault) {
    platform_at(context).enter_safe_state(*twin(fault));
}

static pnl_status_t commands_decode(const void* context, const uint32_t* words, size_t count, pnl_decode_state_t* state,
                                    pnl_decoded_command_t* command, pnl_decode_error_t* error) {
    return to_c(command_set_at(context).decode({words, count}, *twin(state), *twin(command), *twin(error)));
}
static void commands_kernel(const void* context, uint32_t id, pnl_kernel_t* kernel) {
    *twin(kernel) = command_set_at(context).kernel(id);
}
static pnl_patch_kind_t commands_patch_kind(const void* context, const uint32_t* words, size_t count, uint32_t word) {
    return static_cast<pnl_patch_kind_t>(command_set_at(context).patch_kind({words, count}, word));
}
static uint32_t commands_queue_words(const void* context, const pnl_queue_command_t* command) {
    return command_set_at(context).queue_words(*twin(command));
}
static uint64_t commands_queue_cycles(const void* context, const pnl_queue_command_t* command) {
    return command_set_at(context).queue_cycles(*twin(command));
}
static uint64_t commands_seal(const void* context, uint64_t digest, uint32_t number, uint64_t trace_digest,
                              pnl_queue_command_t* command) {
    return command_set_at(context).seal(digest, number, trace_digest, *twin(command));
}
static uint64_t commands_trace_digest(const void* context, uint64_t digest, const uint32_t* words, size_t count) {
    return command_set_at(context).trace_digest(digest, {words, count});
}

static pnl_status_t verifier_verify(const void* context, const uint8_t* digest, const uint8_t* signature,
                                    const uint8_t* key) {
    Sha256Digest of{};
    Signature signature_of{};
    PublicKey key_of{};
    std::memcpy(of.data(), digest, of.size());
    std::memcpy(signature_of.data(), signature, signature_of.size());
    std::memcpy(key_of.data(), key, key_of.size());
    return to_c(static_cast<const SignatureVerifier*>(context)->verify(of, signature_of, key_of));
}
}

constexpr pnl_device_ops_t kDeviceOps{
    sizeof(pnl_device_ops_t), PNL_API_VERSION,          device_describe,   device_reset,       device_program_region,
    device_programmed_region, device_read_back,         device_patch_word, device_bind_source, device_bind_destination,
    device_bound_source,      device_bound_destination, device_host_view,  device_give,        device_take,
    device_enqueue,           device_ring_doorbell,     device_service,    device_completion};
constexpr pnl_platform_ops_t kPlatformOps{
    sizeof(pnl_platform_ops_t), PNL_API_VERSION,         platform_now_us,        platform_idle,
    platform_serve_watchdog,    platform_lowest_version, platform_raise_version, platform_enter_safe_state};
constexpr pnl_command_set_ops_t kCommandSetOps{
    sizeof(pnl_command_set_ops_t), PNL_API_VERSION,       commands_decode, commands_kernel,      commands_patch_kind,
    commands_queue_words,          commands_queue_cycles, commands_seal,   commands_trace_digest};
constexpr pnl_verifier_ops_t kVerifierOps{sizeof(pnl_verifier_ops_t), PNL_API_VERSION, verifier_verify};

}  // namespace

const pnl_device_ops_t& device() noexcept {
    return kDeviceOps;
}
const pnl_platform_ops_t& platform() noexcept {
    return kPlatformOps;
}
const pnl_command_set_ops_t& command_set() noexcept {
    return kCommandSetOps;
}
const pnl_verifier_ops_t& verifier() noexcept {
    return kVerifierOps;
}

}  // namespace pianola::tables
