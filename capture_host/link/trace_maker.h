// TraceMaker: recorded launches become the words of traces. Internal to the linker.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "capture_host/link/layout.h"
#include "capture_host/recorder/recorder.h"
#include "capture_host/targets/trace_walk.h"
#include "capture_host/writer/manifest.h"

namespace pianola::capture {

class TraceMaker {
  public:
    // Throws LinkError where the device does not accept the launch.
    void add(const Launch& launch, const Layout& layout);

    // Ends the trace; what is added next belongs to another. The trace's offset is set: traces lie one behind the
    // other.
    [[nodiscard]] ManifestTrace finish(const std::string& name);

    // The trace segment so far.
    [[nodiscard]] std::vector<std::uint8_t> bytes() const;

  private:
    void append(const std::vector<std::uint32_t>& command);

    targets::TraceWalk walk_{refdev::target().command_set()};  // over the one in the making
    ManifestTrace trace_;
    std::vector<std::uint32_t> words_;  // of all traces
    std::size_t first_word_{0U};        // of the one in the making
};

}  // namespace pianola::capture
