// TraceMaker: recorded launches become the words of traces. Internal to the linker.
#pragma once

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

    // Ends the trace and adds it to the binary; what is added next belongs to another.
    void finish(const std::string& name, Manifest& manifest, Segments& segments);

  private:
    targets::Words words_;
    std::vector<ManifestProgram> programs_;
};

}  // namespace pianola::capture
