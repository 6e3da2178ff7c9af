#include "capture_host/targets/targets.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "capture_host/targets/plugin.h"
#include "hal/devices/device_numbers.h"
#include "hal/devices/registry/registry.h"
#include "pianola/development_config.h"

namespace pianola::targets {

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
    FileTarget found{&targets.usual(), targets.usual().usual_device(), {}};
    Verdict verdict;
    reset(verdict);
    Envelope envelope;
    Image image;
    if (!is_ok(parse_envelope(file, envelope, verdict)) ||
        !is_ok(authenticate(file, envelope, kDevelopmentTrust, verdict)) ||
        !is_ok(open_image(file, envelope, profiles::kHost, image, verdict))) {
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
    found.target = target;
    found.device = target->usual_device();
    DeviceDescription device = found.device;
    copy_sizes(named, device);
    for (const Capacities* const profile : kProfiles) {
        device.capacities =
            (profile->number == static_cast<std::uint32_t>(named.profile)) ? profile : device.capacities;
    }
    const std::string wrong = target->what_is_wrong_with(device);
    if (wrong.empty()) {
        found.device = device;
    } else {
        found.why_not = fmt::format("no device of family '{}' has these sizes: {}", family, wrong);
    }
    return found;
}

}  // namespace pianola::targets
