#include "pianola_host/targets.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>

#include "capture_host/binary/names.h"
#include "capture_host/binary/openssl_digest.h"
#include "hal/host/device_numbers.h"
#include "hal/host/plugin.h"
#include "hal/registry/registry.h"
#include "pianola_host/files.h"

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

struct LoadedPlugin {
    const Target* target{nullptr};
    Sha256Digest digest{};  // of the file
};

// Loads the shared object and keeps it loaded. Throws PluginError.
LoadedPlugin load_plugin(const std::string& file_name) {
    const auto fail = [&file_name](const std::string& what) {
        throw PluginError{fmt::format("--plugin {}: {}", file_name, what)};
    };
    const std::vector<std::uint8_t> bytes = files::load_file(file_name, kLimitBytes);
    // From memory: the loaded bytes are those of the digest, even if the file changes meanwhile. The copy stays open:
    // the loader identifies libraries by name, and so two never have the same name.
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
    return {&plugin->target(), signing::openssl_sha256({bytes.data(), bytes.size()})};
}

}  // namespace

Targets::Targets(const std::string& plugin) {
    const Span<const Target* const> built_in = known_targets();
    if (!plugin.empty()) {
        const LoadedPlugin loaded = load_plugin(plugin);
        for (const Target* const target : built_in) {
            if (std::string{target->usual_device().family} == loaded.target->usual_device().family) {
                throw PluginError{fmt::format("--plugin {}: brings device family {}, which is built in", plugin,
                                              target->usual_device().family)};
            }
        }
        known_.push_back(loaded.target);
        plugin_ = loaded.digest;
    }
    known_.insert(known_.end(), built_in.begin(), built_in.end());
}

const Target* Targets::find(const std::string& family) const {
    const auto found = std::find_if(known_.begin(), known_.end(), [&family](const Target* target) {
        return family == target->usual_device().family;
    });
    return (found == known_.end()) ? nullptr : *found;
}

std::string Targets::families() const {
    std::vector<std::string> names;
    for (const Target* const target : known_) {
        names.emplace_back(target->usual_device().family);
    }
    return fmt::format("{}", fmt::join(names, ", "));
}

FileTarget target_of(ByteSpan file, const Targets& targets) {
    FileTarget found{&targets.usual(), targets.usual().usual_device(), {}, {}};
    const signing::DevelopmentTrust trust;
    Authentication authentication;
    Verdict verdict;
    reset(verdict);
    Envelope envelope;
    Image image;
    if (!is_ok(parse_envelope(file, envelope, verdict)) ||
        !is_ok(authenticate(file, envelope, trust.get(), authentication, verdict))) {
        return found;
    }
    found.authentication = authentication;
    if (!is_ok(open_image(file, envelope, profiles::kHost, image, verdict))) {
        return found;
    }
    const TargetView named = image.target();
    const std::string family{named.device_family.begin(), named.device_family.end()};
    const Target* const target = targets.find(family);
    if (target == nullptr) {
        found.why_not = fmt::format("this build knows no device family '{}', but {}; --plugin brings another target",
                                    family, targets.families());
        return found;
    }
    const Target* const with_costs = target->with_cost_model(named.cost_model);
    found.target = (with_costs != nullptr) ? with_costs : target;
    found.device = found.target->usual_device();
    DeviceDescription device = found.device;
    copy_sizes(named, device);
    const Capacities* const profile = find_profile(named.profile);
    device.capacities = (profile != nullptr) ? profile : device.capacities;
    device.mesh_rows = named.mesh_rows;
    device.mesh_columns = named.mesh_columns;
    const std::string wrong = found.target->what_is_wrong_with(device);
    if (wrong.empty()) {
        found.device = device;
    } else {
        found.why_not = fmt::format("no device of family '{}' has these sizes: {}", family, wrong);
    }
    return found;
}

}  // namespace pianola::targets
