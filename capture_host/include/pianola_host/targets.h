// Targets: the device that a binary is for, and the host's description of it.
//
// A binary names its device family; the target of that family comes from the registry, or from a plugin.
#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "hal/host/target.h"
#include "pianola/envelope.h"
#include "pianola/session.h"
#include "pianola/sha256.h"

namespace pianola::targets {

// The file is no plugin of this version: what() names it and its defect.
class PluginError : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

class Targets {
  public:
    // plugin: the file name of a shared object (hal/host/plugin.h) that brings one more target; it stays loaded.
    // Empty: only those of the registry. Throws PluginError.
    explicit Targets(const std::string& plugin = {});

    // nullptr if the family is unknown.
    [[nodiscard]] const Target* find(const std::string& family) const;
    // The target for a file that names none: the plugin's, or else the registry's first.
    [[nodiscard]] const Target& usual() const { return *known_.front(); }
    [[nodiscard]] std::string families() const;  // "one, another"
    [[nodiscard]] Span<const Target* const> all() const noexcept { return {known_.data(), known_.size()}; }
    // The device that `text`, NAME or NAME:N, names of their executors. Without an executor for other text.
    [[nodiscard]] ExecutorDevice executor(const std::string& text) const { return find_executor(all(), text); }
    // SHA-256 of the plugin's file.
    [[nodiscard]] const std::optional<Sha256Digest>& plugin() const noexcept { return plugin_; }

  private:
    std::vector<const Target*> known_;  // the plugin's first
    std::optional<Sha256Digest> plugin_;
};

// The target and device that a file is judged for.
struct FileTarget {
    const Target* target{nullptr};
    DeviceDescription device;
    // Why this is not the device that the file names, in a sentence; empty if it is, or if the file cannot be opened.
    // The validator refuses the file for the device: `device` is then the usual one.
    std::string why_not;
    // Of the file, if its digest holds: for validations of the same bytes. Else not computed.
    Authentication authentication;
};

// The device that the file names, with the default profile. Nothing is proved of the file, but that its digest holds.
[[nodiscard]] FileTarget target_of(ByteSpan file, const Targets& targets);

}  // namespace pianola::targets
