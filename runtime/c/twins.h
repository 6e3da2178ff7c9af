// Twins: structures of the C API with the same members as those of the C++ runtime.
//
// The only place of the C API that converts a pointer to one into a pointer to the other. Only pairs that are named
// here can be converted; twins.cpp compares them. Copies would cost text and stack in every call. The C types are
// declared to alias (PNL_TWIN), so that an optimiser which sees both sides keeps accesses in order.
#pragma once

#include <new>  // NOLINT(portability-restrict-system-includes): DEV-053
#include <type_traits>

#include "pianola/session.h"
#include "runtime/c/pianola.h"

namespace pianola::c_api {

template <typename C>
struct TwinOf;
#define PIANOLA_TWIN(c_type, cpp_type) /* NOLINT(cppcoreguidelines-macro-usage): DEV-050 */ \
    template <>                                                                             \
    struct TwinOf<c_type> {                                                                 \
        using Type = cpp_type;                                                              \
    }
PIANOLA_TWIN(pnl_bytes_t, ByteSpan);
PIANOLA_TWIN(pnl_memory_t, MutableByteSpan);
PIANOLA_TWIN(pnl_device_description_t, DeviceDescription);
PIANOLA_TWIN(pnl_region_t, RegionConfig);
PIANOLA_TWIN(pnl_queue_command_t, QueueCommand);
PIANOLA_TWIN(pnl_completion_t, Completion);
PIANOLA_TWIN(pnl_fault_t, FaultRecord);
PIANOLA_TWIN(pnl_extent_t, Extent);
PIANOLA_TWIN(pnl_extents_t, ExtentList);
PIANOLA_TWIN(pnl_decoded_command_t, DecodedCommand);
PIANOLA_TWIN(pnl_decode_error_t, DecodeError);
PIANOLA_TWIN(pnl_decode_state_t, DecodeState);
PIANOLA_TWIN(pnl_kernel_t, KernelIdentity);
PIANOLA_TWIN(pnl_trusted_key_t, TrustedKey);
PIANOLA_TWIN(pnl_trust_t, Trust);
PIANOLA_TWIN(pnl_fault_interval_t, FaultInterval);
PIANOLA_TWIN(pnl_settings_t, SessionConfig);
PIANOLA_TWIN(pnl_path_step_t, FieldPath::Step);
PIANOLA_TWIN(pnl_path_t, FieldPath);
PIANOLA_TWIN(pnl_verdict_t, Verdict);
PIANOLA_TWIN(pnl_parameter_value_t, Session::ParameterValue);
PIANOLA_TWIN(pnl_plan_t, Plan);
#undef PIANOLA_TWIN

// From C to C++.
template <typename C>
[[nodiscard]] typename TwinOf<C>::Type* twin(C* from) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-051
    return reinterpret_cast<typename TwinOf<C>::Type*>(from);
}
template <typename C>
[[nodiscard]] const typename TwinOf<C>::Type* twin(const C* from) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-051
    return reinterpret_cast<const typename TwinOf<C>::Type*>(from);
}
// And back.
template <typename C>
[[nodiscard]] C* c_twin(typename TwinOf<C>::Type* from) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-051
    return reinterpret_cast<C*>(from);
}
template <typename C>
[[nodiscard]] const C* c_twin(const typename TwinOf<C>::Type* from) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-051
    return reinterpret_cast<const C*>(from);
}

[[nodiscard]] inline std::uintptr_t address_of(const void* object) noexcept {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-reinterpret-cast): DEV-051
    return reinterpret_cast<std::uintptr_t>(object);
}

// Required alignment of every opaque object.
[[nodiscard]] inline bool is_aligned(const void* object) noexcept {
    return (address_of(object) % alignof(std::uint64_t)) == 0U;
}

}  // namespace pianola::c_api
