// What the functions of the shim have in common: the loader's own of each, failures, handles.
//
// shim_calls.cpp and shim_objects.cpp.
#pragma once

#include <dlfcn.h>

#include <cstring>
#include <stdexcept>
#include <string>

#include "tests/vulkan/driver/shim.h"

namespace pianola::vulkan {

inline constexpr const char* kLoaderName = "libvulkan.so.1";

// The loader's own.
template <typename Function>
Function real(const char* name) {
    static void* const kLoader = dlopen(kLoaderName, RTLD_NOW);
    void* const found = (kLoader == nullptr) ? nullptr : dlsym(kLoader, name);
    if (found == nullptr) {
        throw std::runtime_error{std::string{name} + " is not in " + kLoaderName};
    }
    Function function = nullptr;
    static_assert(sizeof(Function) == sizeof(void*));
    std::memcpy(static_cast<void*>(&function), static_cast<const void*>(&found), sizeof(Function));
    return function;
}

// What a failing driver may leave where a handle was to be.
template <typename Handle>
void leave_rubbish(Handle* handles, std::uint32_t count) {
    std::memset(static_cast<void*>(handles), 0xA5, count * kHandleBytes);
}

template <typename Function, typename... Arguments>
VkResult call(const char* name, Arguments... arguments) {
    const VkResult result = DriverShim::get().begin(name);
    return (result != VK_SUCCESS) ? result : real<Function>(name)(arguments...);
}

// The call's last argument is where the handle goes.
template <typename Function, typename Parent, typename Handle, typename... Arguments>
VkResult create(const char* name, const char* kind, Handle* made, Parent parent, Arguments... arguments) {
    const VkResult result = call<Function>(name, parent, arguments..., made);
    if (result != VK_SUCCESS) {
        leave_rubbish(made, 1U);
    } else {
        DriverShim::get().note_created(kind, number_of_handle(*made), number_of_handle(parent));
    }
    return result;
}

template <typename Function, typename Parent, typename Handle>
void destroy(const char* name, const char* kind, Parent parent, Handle handle, const VkAllocationCallbacks* allocator) {
    static_cast<void>(DriverShim::get().begin(name));
    if (DriverShim::get().note_destroyed(kind, number_of_handle(handle))) {
        real<Function>(name)(parent, handle, allocator);
    }
}

}  // namespace pianola::vulkan
