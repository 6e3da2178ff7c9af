#include <stdexcept>

#include "hal/devices/refdev/host/refdev_target.h"
#include "tests/mutate/subjects.h"
#include "tests/runtime/rule_case.h"
#include "tests/support/mesh_workload.h"

namespace pianola::test {
namespace {

NamedSubject mesh_subject(const MeshShape& shape, std::uint32_t queues) {
    DeviceDescription device;
    refdev::describe(small_device(), device);
    return make_subject(std::to_string(shape.rows) + " x " + std::to_string(shape.columns),
                        make_mesh_workload(shape, queues).file(), device);
}

// With a trace region for more commands than the proofs may look at in a file of their length.
NamedSubject long_traces_subject() {
    constexpr std::uint32_t kTraceRegionBytes = 128U * 1024U;
    Workload workload = make_workload(2U, 1U);
    DeviceDescription device = default_device();
    device.trace_region_bytes = kTraceRegionBytes;
    workload.manifest.target.trace_region_bytes = kTraceRegionBytes;
    for (capture::ManifestRegion& region : workload.manifest.regions) {
        if (region.kind == RegionKind::kTrace) {
            region.base = (device.dram_base + device.dram_bytes) - kTraceRegionBytes;
            region.size_bytes = kTraceRegionBytes;
        }
    }
    return make_subject("long traces", workload.file(), device);
}

}  // namespace

NamedSubject make_subject(const std::string& name, const std::vector<std::uint8_t>& file,
                          const DeviceDescription& device) {
    Validator validator{device};
    if (!is_ok(validator.validate(file))) {
        throw std::logic_error{name + " is not valid"};
    }
    return {name,
            mutate::read_subject(ByteSpan{file.data(), file.size()}, validator.image(), refdev::target(), device)};
}

NamedSubject two_queues_subject() {
    return make_subject("two queues", make_workload(2U, 1U).file(), default_device());
}

NamedSubject short_rings_subject() {
    constexpr std::uint32_t kShortRing = 64U;
    Workload workload = make_workload(1U, 1U);
    DeviceDescription device = default_device();
    device.ring_words = kShortRing;
    workload.manifest.target.ring_words = kShortRing;
    return make_subject("short rings", workload.file(), device);
}

std::vector<NamedSubject> small_subjects() {
    DeviceDescription reads_file;
    refdev::describe(file_device(), reads_file);
    return {make_subject("one queue", make_workload(1U, 2U).file(), default_device()),
            make_subject("weights in the file", make_file_workload(1U, 1U).file(), reads_file),
            two_queues_subject(),
            make_subject("parameters", accepted_parameters().front().file, default_device()),
            short_rings_subject(),
            long_traces_subject(),
            mesh_subject({1U, 2U}, 1U),
            mesh_subject({2U, 2U}, 2U)};
}

}  // namespace pianola::test
