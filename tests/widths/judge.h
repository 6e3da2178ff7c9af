// Judge: what the validator says of bytes, as one line of text, wherever they lie.
//
// Runtime and reference device, nothing else of the host: it is compiled for 32 bits too.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "hal/devices/refdev/device_spec.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/session.h"
#include "tests/widths/placed_file.h"

namespace pianola::test {

using Bytes = std::vector<std::uint8_t>;

// "accepted", or "RULE path offset actual limit". Where places disagree, what each says.
class Judge {
  public:
    // Of a file for the device. `file_bytes` is more than there are bytes where the file is refused for its length.
    [[nodiscard]] std::string file(const Bytes& bytes, const DeviceDescription& device, const Trust& trust,
                                   std::size_t shift = 0U, std::size_t file_bytes = 0U);
    // Of a buffer of the schema in tests/runtime/probe_schema, by the two checks of schema_check.h.
    [[nodiscard]] std::string probe(const Bytes& buffer);

    [[nodiscard]] std::string places() const { return places_.describe(); }

  private:
    Places places_;
    refdev::RefdevCommandSet command_set_;
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    std::unique_ptr<Plan> plan_{std::make_unique<Plan>()};
    Image image_;
};

}  // namespace pianola::test
