// Trace binaries in pieces, and their validation.
//
// assemble() is written from the description of the format, not with the writer, so that both must agree; it takes any
// bytes for a manifest.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "hal/devices/refdev/device_spec.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/session.h"
#include "pianola_host/files.h"
#include "pianola_host/manifest.h"

namespace pianola::test {

// Where the header has its fields.
inline constexpr std::uint32_t kHeaderBytes = 192U;
inline constexpr std::uint32_t kTotalBytesOffset = 16U;
inline constexpr std::uint32_t kSegmentTableOffset = 80U;
inline constexpr std::uint32_t kSegmentEntryBytes = 12U;

[[nodiscard]] std::vector<std::uint8_t> assemble(const std::vector<std::uint8_t>& manifest,
                                                 const capture::Segments& segments,
                                                 const std::vector<std::uint8_t>& checks = {});
// The same with zeros for a digest, which takes a tenth of the time.
[[nodiscard]] std::vector<std::uint8_t> assemble_without_digest(const std::vector<std::uint8_t>& manifest,
                                                                const capture::Segments& segments,
                                                                const std::vector<std::uint8_t>& checks = {});

[[nodiscard]] std::uint32_t load32(const std::vector<std::uint8_t>& file, std::size_t offset);
void store32(std::vector<std::uint8_t>& file, std::size_t offset, std::uint32_t value);

// First byte and size of segment `index` (0 is the manifest), as the file's own table says.
[[nodiscard]] std::uint32_t segment_offset(const std::vector<std::uint8_t>& file, std::uint32_t index);
[[nodiscard]] std::uint32_t segment_bytes(const std::vector<std::uint8_t>& file, std::uint32_t index);

[[nodiscard]] std::string path_text(const Verdict& verdict);

// Everything that validate() needs, kept between calls.
class Validator {
  public:
    Validator();
    explicit Validator(const DeviceDescription& device) : device_{device} {}

    // With kDevelopmentTrust, unless told.
    Status validate(ByteSpan file, const Trust& trust);
    Status validate(ByteSpan file);
    Status validate(const std::vector<std::uint8_t>& file);
    // What validate() does, but for the digest.
    Status validate_behind_digest(ByteSpan file);

    [[nodiscard]] const Verdict& verdict() const noexcept { return verdict_; }
    [[nodiscard]] const Image& image() const noexcept { return image_; }
    [[nodiscard]] const Plan& plan() const noexcept { return *plan_; }
    [[nodiscard]] bool is_canonical() const { return capture::is_canonical(bytes_->view(), image_); }

  private:
    DeviceDescription device_;
    refdev::RefdevCommandSet command_set_;
    std::unique_ptr<PlanWorkspace> workspace_{std::make_unique<PlanWorkspace>()};
    std::unique_ptr<Plan> plan_{std::make_unique<Plan>()};
    std::unique_ptr<files::AlignedBytes> bytes_;
    Image image_;
    Verdict verdict_;
};

}  // namespace pianola::test
