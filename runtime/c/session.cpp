// The functions of pianola.h that have a session.
#include <array>
#include <cstring>

#include "runtime/c/storage.h"

namespace pianola::c_api {
namespace {

// The mark in a session's storage shows whether a session exists: a pattern combined with the address, which a copy
// does not match. While a call is under way its lowest bit is set.
constexpr std::uint32_t kMark = 0x50E4'A11AU;
constexpr std::uint32_t kBusy = 1U;

[[nodiscard]] std::uint32_t number_of(const pnl_session_t* session) noexcept {
    return static_cast<std::uint32_t>(address_of(session));
}

// Results of functions that called no method of the session; no Status has these values.
constexpr std::uint32_t kNoSession = 0U;
constexpr std::uint32_t kWrongArgument = 1U;

static_assert(sizeof(pnl_session_t::private_words) >= sizeof(Session), "pianola_sizes.h is of another build");
static_assert(alignof(Session) <= alignof(pnl_session_t));
static_assert(alignof(PlanWorkspace) <= alignof(pnl_workspace_t));
static_assert(sizeof(PlanWorkspace) <= sizeof(pnl_workspace_t));

// The session at this place, whether or not a call is under way; nullptr where there is none.
[[nodiscard, gnu::noinline]] const Session* find(const pnl_session_t* session) noexcept {
    if ((session == nullptr) || (((session->private_mark ^ number_of(session)) | kBusy) != (kMark | kBusy))) {
        return nullptr;
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-052
    return std::launder(reinterpret_cast<const Session*>(&session->private_words[0]));
}

// The session for a call that may change it: nullptr also if a call is under way. leave() ends the call.
[[nodiscard, gnu::noinline]] Session* enter(pnl_session_t* session) noexcept {
    const Session* const found = find(session);
    if ((found == nullptr) || (((session->private_mark ^ number_of(session)) & kBusy) != 0U)) {
        return nullptr;
    }
    session->private_mark ^= kBusy;
    return const_cast<Session*>(found);  // NOLINT(cppcoreguidelines-pro-type-const-cast): DEV-052
}

[[nodiscard, gnu::noinline]] pnl_status_t leave(std::uint32_t status, pnl_session_t* session) noexcept {
    if (status == kNoSession) {
        return PNL_INVALID_STATE;
    }
    session->private_mark ^= kBusy;
    return (status == kWrongArgument) ? PNL_INVALID_ARGUMENT : status;
}

[[nodiscard]] constexpr std::uint32_t value_of(Status status) noexcept {
    return static_cast<std::uint32_t>(status);
}

// Returns whether every view has memory. Refuses lists that are longer than a session accepts.
[[nodiscard, gnu::noinline]] bool are_there(const pnl_bytes_t* views, std::size_t count) noexcept {
    static_assert(kMaxInputs == kMaxOutputs);
    if ((count > kMaxInputs) || ((views == nullptr) && (count != 0U))) {
        return false;
    }
    bool are = true;
    for (const pnl_bytes_t& view : Span<const pnl_bytes_t>{views, count}) {
        are = are && ((view.data != nullptr) || (view.size == 0U));
    }
    return are;
}

[[nodiscard]] bool are_there(const pnl_memory_t* views, std::size_t count) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-051
    return are_there(reinterpret_cast<const pnl_bytes_t*>(views), count);
}

[[nodiscard]] Span<const ByteSpan> list(const pnl_bytes_t* views, std::size_t count) noexcept {
    return Span<const ByteSpan>{twin(views), count};
}

[[nodiscard]] Span<const MutableByteSpan> list(const pnl_memory_t* views, std::size_t count) noexcept {
    return Span<const MutableByteSpan>{twin(views), count};
}

// Loading accepts a workspace with any contents, so nothing has to be constructed.
[[nodiscard]] PlanWorkspace& workspace_at(pnl_workspace_t* memory) noexcept {
    static_assert(std::is_trivially_copyable_v<PlanWorkspace> && std::is_trivially_destructible_v<PlanWorkspace>);
    return *std::launder(
        reinterpret_cast<PlanWorkspace*>(memory));  // NOLINT(cppcoreguidelines-pro-type-reinterpret-cast): DEV-052
}

// Calls that differ only in the method.
template <Status (Session::*kMethod)() noexcept>
[[nodiscard]] pnl_status_t enter_and(pnl_session_t* at) noexcept {
    Session* const session = enter(at);
    return leave((session != nullptr) ? value_of((session->*kMethod)()) : kNoSession, at);
}

}  // namespace

bool is_made(const void* object) noexcept {
    std::uintptr_t first = 0U;
    if (object != nullptr) {
        std::memcpy(&first, object, sizeof(first));
    }
    return first != 0U;
}

bool is_whole(const pnl_trust_t& trust) noexcept {
    return ((trust.keys != nullptr) || (trust.key_count == 0U)) &&
           ((trust.verifier == nullptr) || is_made(trust.verifier)) &&
           ((trust.digest_engine == nullptr) || is_made(trust.digest_engine));
}

namespace {

// Number of devices in the configuration; 0 if there are none or too many.
[[nodiscard]] std::uint32_t devices_in(const pnl_session_config_t& config) noexcept {
    const bool is_mesh =
        (config.rows != 0U) && (config.rows <= kMaxMeshDevices) && (config.columns <= (kMaxMeshDevices / config.rows));
    return is_mesh ? (config.rows * config.columns) : 0U;
}

// Empty if the configuration is incomplete.
[[nodiscard]] Span<pnl_device_t* const> list_of_devices(const pnl_session_config_t& config, bool is_whole) noexcept {
    return Span<pnl_device_t* const>{config.devices, is_whole ? devices_in(config) : 0U};
}

// Size and version are checked first: a table of another version may be shorter.
[[nodiscard]] bool is_valid(const pnl_session_config_t& config) noexcept {
    bool is = (config.struct_size == sizeof(config)) && (config.version == PNL_API_VERSION) &&
              (config.devices != nullptr) && is_made(config.platform) && is_made(config.command_set) &&
              is_whole(config.settings.trust);
    for (const pnl_device_t* const device : list_of_devices(config, is)) {
        is = is && is_made(device);
    }
    return is;
}

// The constructor for several devices costs text, and is not linked where the profile drives one.
void construct(void* at, const pnl_session_config_t& from) noexcept {
    Platform& platform = as_cpp(*from.platform);
    const CommandSet& command_set = as_cpp(*from.command_set);
    const SessionConfig& config = *twin(&from.settings);
    if constexpr (kDrivesOneDevice) {
        // NOLINTNEXTLINE(pianola-misra-21.6.3): DEV-053
        static_cast<void>(new (at) Session{as_cpp(**from.devices), platform, command_set, config});
    } else {
        const Span<pnl_device_t* const> list = list_of_devices(from, true);
        std::array<Device*, kMaxMeshDevices> devices{};
        for (std::size_t i = 0U; i < list.size(); ++i) {
            devices[i] = &as_cpp(*list[i]);
        }
        const DeviceSet set{{devices.data(), list.size()}, from.rows, from.columns};
        // NOLINTNEXTLINE(pianola-misra-21.6.3): DEV-053
        static_cast<void>(new (at) Session{set, platform, command_set, config});
    }
}

}  // namespace
}  // namespace pianola::c_api

using pianola::Session;

using pianola::c_api::c_twin;
using pianola::c_api::twin;
namespace c_api = pianola::c_api;

pnl_status_t pnl_session_init(pnl_session_t* session, size_t session_bytes, const pnl_session_config_t* config) {
    if ((session == nullptr) || (config == nullptr) || !c_api::is_aligned(session)) {
        return PNL_INVALID_ARGUMENT;
    }
    if (!c_api::is_valid(*config)) {
        return PNL_INVALID_ARGUMENT;
    }
    if ((session_bytes != sizeof(pnl_session_t)) || (c_api::devices_in(*config) == 0U)) {
        return PNL_CAPACITY;
    }
    if (c_api::find(session) != nullptr) {
        return PNL_INVALID_STATE;
    }
    c_api::construct(&session->private_words[0], *config);
    session->private_mark = c_api::number_of(session) ^ c_api::kMark;
    return PNL_OK;
}

pnl_status_t pnl_session_close(pnl_session_t* session) {
    const pnl_status_t status = pnl_session_unload(session);
    if (status != PNL_INVALID_STATE) {
        session->private_mark = 0U;
    }
    return status;
}

pnl_status_t pnl_session_load(pnl_session_t* session, const uint8_t* file, size_t file_bytes,
                              pnl_workspace_t* workspace, pnl_verdict_t* verdict) {
    Session* const entered = c_api::enter(session);
    std::uint32_t status = c_api::kNoSession;
    if (verdict != nullptr) {
        reset(*twin(verdict));
    }
    if (entered != nullptr) {
        status = c_api::kWrongArgument;
        if ((verdict != nullptr) && ((file != nullptr) || (file_bytes == 0U)) && (workspace != nullptr)) {
            status = c_api::value_of(
                entered->load(pianola::ByteSpan{file, file_bytes}, c_api::workspace_at(workspace), *twin(verdict)));
        }
    }
    return c_api::leave(status, session);
}

pnl_status_t pnl_session_unload(pnl_session_t* session) {
    return c_api::enter_and<&Session::unload>(session);
}

pnl_status_t pnl_session_input_view(pnl_session_t* session, uint32_t index, pnl_memory_t* view) {
    Session* const entered = c_api::enter(session);
    std::uint32_t status = c_api::kNoSession;
    if (view != nullptr) {
        *view = pnl_memory_t{};
    }
    if (entered != nullptr) {
        status = (view != nullptr) ? c_api::value_of(entered->input_view(index, *twin(view))) : c_api::kWrongArgument;
    }
    return c_api::leave(status, session);
}

pnl_status_t pnl_session_output_view(pnl_session_t* session, uint32_t index, pnl_bytes_t* view) {
    Session* const entered = c_api::enter(session);
    std::uint32_t status = c_api::kNoSession;
    if (view != nullptr) {
        *view = pnl_bytes_t{};
    }
    if (entered != nullptr) {
        status = (view != nullptr) ? c_api::value_of(entered->output_view(index, *twin(view))) : c_api::kWrongArgument;
    }
    return c_api::leave(status, session);
}

pnl_status_t pnl_session_start(pnl_session_t* session, const pnl_bytes_t* inputs, size_t input_count) {
    Session* const entered = c_api::enter(session);
    std::uint32_t status = c_api::kNoSession;
    if (entered != nullptr) {
        status = c_api::are_there(inputs, input_count)
                     ? c_api::value_of(entered->start(c_api::list(inputs, input_count)))
                     : c_api::kWrongArgument;
    }
    return c_api::leave(status, session);
}

pnl_status_t pnl_session_stop(pnl_session_t* session, const pnl_memory_t* outputs, size_t output_count) {
    Session* const entered = c_api::enter(session);
    std::uint32_t status = c_api::kNoSession;
    if (entered != nullptr) {
        status = c_api::are_there(outputs, output_count)
                     ? c_api::value_of(entered->stop(c_api::list(outputs, output_count)))
                     : c_api::kWrongArgument;
    }
    return c_api::leave(status, session);
}

pnl_status_t pnl_session_set_parameters(pnl_session_t* session, const pnl_parameter_value_t* values, size_t count) {
    Session* const entered = c_api::enter(session);
    std::uint32_t status = c_api::kNoSession;
    if (entered != nullptr) {
        status = ((values != nullptr) || (count == 0U))
                     ? c_api::value_of(entered->set_parameters({twin(values), count}))
                     : c_api::kWrongArgument;
    }
    return c_api::leave(status, session);
}

pnl_status_t pnl_session_submit_views(pnl_session_t* session) {
    return c_api::enter_and<&Session::submit>(session);
}

pnl_status_t pnl_session_submit(pnl_session_t* session, const pnl_bytes_t* inputs, size_t input_count,
                                const pnl_memory_t* outputs, size_t output_count) {
    Session* const entered = c_api::enter(session);
    std::uint32_t status = c_api::kNoSession;
    if (entered != nullptr) {
        status =
            (c_api::are_there(inputs, input_count) && c_api::are_there(outputs, output_count))
                ? c_api::value_of(entered->submit(c_api::list(inputs, input_count), c_api::list(outputs, output_count)))
                : c_api::kWrongArgument;
    }
    return c_api::leave(status, session);
}

pnl_status_t pnl_session_poll(pnl_session_t* session) {
    return c_api::enter_and<&Session::poll>(session);
}

pnl_status_t pnl_session_wait(pnl_session_t* session) {
    return c_api::enter_and<&Session::wait>(session);
}

pnl_status_t pnl_session_run(pnl_session_t* session, const pnl_bytes_t* inputs, size_t input_count,
                             const pnl_memory_t* outputs, size_t output_count) {
    Session* const entered = c_api::enter(session);
    std::uint32_t status = c_api::kNoSession;
    if (entered != nullptr) {
        status =
            (c_api::are_there(inputs, input_count) && c_api::are_there(outputs, output_count))
                ? c_api::value_of(entered->run(c_api::list(inputs, input_count), c_api::list(outputs, output_count)))
                : c_api::kWrongArgument;
    }
    return c_api::leave(status, session);
}

pnl_status_t pnl_session_reset_state(pnl_session_t* session) {
    return c_api::enter_and<&Session::reset_state>(session);
}

pnl_status_t pnl_session_self_test(pnl_session_t* session, uint32_t index, uint8_t* scratch, size_t scratch_bytes) {
    Session* const entered = c_api::enter(session);
    std::uint32_t status = c_api::kNoSession;
    if (entered != nullptr) {
        status = ((scratch != nullptr) || (scratch_bytes == 0U))
                     ? c_api::value_of(entered->self_test(index, {scratch, scratch_bytes}))
                     : c_api::kWrongArgument;
    }
    return c_api::leave(status, session);
}

pnl_status_t pnl_session_self_test_all(pnl_session_t* session, uint8_t* scratch, size_t scratch_bytes) {
    Session* const entered = c_api::enter(session);
    std::uint32_t status = c_api::kNoSession;
    if (entered != nullptr) {
        status = ((scratch != nullptr) || (scratch_bytes == 0U))
                     ? c_api::value_of(entered->self_test({scratch, scratch_bytes}))
                     : c_api::kWrongArgument;
    }
    return c_api::leave(status, session);
}

pnl_status_t pnl_session_scrub(pnl_session_t* session) {
    return c_api::enter_and<&Session::scrub>(session);
}

pnl_status_t pnl_session_confirm_start(pnl_session_t* session) {
    return c_api::enter_and<&Session::confirm_start>(session);
}

// Read-only queries; callbacks may call them too.

bool pnl_session_is_loaded(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) && found->is_loaded();
}

bool pnl_session_has_views(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) && found->has_views();
}

bool pnl_session_is_verifying(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) && found->is_verifying();
}

uint32_t pnl_session_self_test_count(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) ? found->self_test_count() : 0U;
}

pnl_bytes_t pnl_session_self_tests(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    const pianola::ByteSpan vectors = (found != nullptr) ? found->self_tests() : pianola::ByteSpan{};
    return pnl_bytes_t{vectors.data(), vectors.size()};
}

uint32_t pnl_session_output_bytes(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) ? found->output_bytes() : 0U;
}

uint32_t pnl_session_scrub_calls(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) ? found->scrub_calls() : 0U;
}

uint32_t pnl_session_shared_steps(const pnl_fault_interval_t* interval) {
    return (interval != nullptr) ? pianola::shared_steps(*twin(interval)) : 0U;
}

uint32_t pnl_session_release_steps(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) ? found->release_steps() : 0U;
}

const pnl_plan_t* pnl_session_plan(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return ((found != nullptr) && found->is_loaded()) ? c_twin<pnl_plan_t>(&found->plan()) : nullptr;
}

const pnl_fault_t* pnl_session_fault(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) ? c_twin<pnl_fault_t>(&found->fault()) : nullptr;
}

const pnl_fault_t* pnl_session_past_fault(const pnl_session_t* session, uint32_t index) {
    const Session* const found = c_api::find(session);
    return ((found != nullptr) && (index < pianola::kMaxFaultRecords)) ? c_twin<pnl_fault_t>(&found->past_fault(index))
                                                                       : nullptr;
}

uint32_t pnl_session_fault_count(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) ? found->fault_count() : 0U;
}

uint32_t pnl_session_steps_completed(const pnl_session_t* session) {
    const Session* const found = c_api::find(session);
    return (found != nullptr) ? found->steps_completed() : 0U;
}
