#include "capture_host/targets/plugin.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>

#include "capture_host/files/files.h"
#include "capture_host/targets/targets.h"
#include "hal/devices/plugin.h"

namespace pianola::targets {
namespace {

constexpr std::uint64_t kLimitBytes = std::uint64_t{1U} << 30U;

}  // namespace

LoadedPlugin load_plugin(const std::string& file_name) {
    const auto fail = [&file_name](const std::string& what) {
        throw PluginError{fmt::format("--plugin {}: {}", file_name, what)};
    };
    const std::vector<std::uint8_t> bytes = files::load_file(file_name, kLimitBytes);
    // With a folder in the name, so that nothing is looked for in the system's.
    void* const library = dlopen(std::filesystem::absolute(file_name).c_str(), RTLD_NOW | RTLD_LOCAL);
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
    return {&plugin->target(), sha256({bytes.data(), bytes.size()})};
}

}  // namespace pianola::targets
