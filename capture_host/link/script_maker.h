// ScriptMaker: a script in the order of recording, and how long it takes when its queues run side by side.
//
// Place in the whole: what the linker and the host API's capture make scripts with. The length is the one that the
// runtime proves: of the script alone, on an idle device; records of earlier scripts lie at its start. Host only.
#pragma once

#include <array>
#include <cstdint>

#include "capture_host/writer/manifest.h"
#include "pianola/command_set.h"
#include "pianola/config.h"
#include "pianola/device.h"

namespace pianola::capture {

class ScriptMaker {
  public:
    // command_set must outlive the maker.
    ScriptMaker(ScriptKind kind, const CommandSet& command_set) : command_set_{&command_set} { script_.kind = kind; }

    // `kind` and `size_bytes` are those of the queue command; extra_cycles what a replay adds. A transfer of a tensor
    // in several buffers is added once, with add_transfer() for each buffer after the first.
    void add(const ManifestCommand& command, QueueCommandKind kind, std::uint64_t size_bytes,
             std::uint64_t extra_cycles = 0U);
    void add_transfer(std::uint32_t queue, QueueCommandKind kind, std::uint64_t size_bytes);
    // On queue 0, with the zeros up to the next trace, as the runtime loads it. The traces have their places.
    void load_trace(const std::vector<ManifestTrace>& traces, std::uint32_t index);

    void record(std::uint32_t queue, std::uint32_t event);
    void wait(std::uint32_t queue, std::uint32_t event);

    // With the completion record that the session adds on every queue that is used.
    [[nodiscard]] std::uint64_t cycles() const;
    [[nodiscard]] const ManifestScript& script() const { return script_; }

  private:
    [[nodiscard]] std::uint64_t cycles_of(QueueCommandKind kind, std::uint64_t size_bytes) const;

    const CommandSet* command_set_;
    ManifestScript script_;
    std::array<std::uint64_t, kMaxQueues> cycles_{};
    std::array<std::uint64_t, kMaxEvents> event_cycles_{};
    std::array<bool, kMaxQueues> used_{};
};

}  // namespace pianola::capture
