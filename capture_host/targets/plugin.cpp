#include "capture_host/targets/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "capture_host/files/files.h"
#include "capture_host/targets/targets.h"
#include "hal/devices/plugin.h"

namespace pianola::targets {
namespace {

constexpr std::uint64_t kLimitBytes = std::uint64_t{1U} << 30U;

[[nodiscard]] bool write_all(int file, const std::vector<std::uint8_t>& bytes) {
    std::size_t done = 0U;
    while (done < bytes.size()) {
        const ssize_t written = write(file, &bytes[done], bytes.size() - done);
        if (written <= 0) {
            return false;
        }
        done += static_cast<std::size_t>(written);
    }
    return true;
}

}  // namespace

LoadedPlugin load_plugin(const std::string& file_name) {
    const auto fail = [&file_name](const std::string& what) {
        throw PluginError{fmt::format("--plugin {}: {}", file_name, what)};
    };
    const std::vector<std::uint8_t> bytes = files::load_file(file_name, kLimitBytes);
    // From memory: what is loaded is what the digest is of, whatever becomes of the file meanwhile. The copy
    // stays open: the loader tells libraries apart by their names, and so two never have the same.
    const int copy = memfd_create("pianola-plugin", MFD_CLOEXEC);
    const bool is_copied = (copy >= 0) && write_all(copy, bytes);
    void* const library =
        is_copied ? dlopen(fmt::format("/proc/self/fd/{}", copy).c_str(), RTLD_NOW | RTLD_LOCAL) : nullptr;
    if (!is_copied) {
        fail("can not be copied to memory");
    }
    if (library == nullptr) {
        fail(fmt::format("can not be loaded: {}", dlerror()));
    }
    const auto* const plugin = static_cast<const TargetPlugin*>(dlsym(library, kPluginSymbol));
    if (plugin == nullptr) {
        fail(fmt::format("has no symbol {}: it is no target", kPluginSymbol));
    }
    if ((plugin->abi_version != kPluginAbiVersion) || (plugin->abi_bytes != kPluginAbiBytes)) {
        fail(
            fmt::format("is built for version {} of the interface, {} bytes; this pianola has version {}, {} bytes: "
                        "build it anew with this version's headers",
                        plugin->abi_version, plugin->abi_bytes, kPluginAbiVersion, kPluginAbiBytes));
    }
    if (plugin->target == nullptr) {
        fail("names no target");
    }
    const DeviceDescription usual = plugin->target().usual_device();
    if ((usual.family == nullptr) || (usual.capacities == nullptr)) {
        fail("its usual device has no family, or no capacities");
    }
    return {&plugin->target(), sha256({bytes.data(), bytes.size()})};
}

}  // namespace pianola::targets
