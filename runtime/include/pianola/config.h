// Every capacity of the runtime, in one place.
//
// They bound every loop and array on target. The comment of each gives its cost in RAM or time. A binary that exceeds a
// capacity is refused, never truncated: by a rule CAP-*, or by the rule of the object that there is too much of. The
// capacities in which programs differ most form named profiles; the others are fixed.
#pragma once

#include <array>
#include <cstdint>

// The profile that sets the array sizes of this build of the runtime: kSmallEcu, kDefault or kHost.
#ifndef PIANOLA_PROFILE
#define PIANOLA_PROFILE kSmallEcu  // NOLINT(cppcoreguidelines-macro-usage): DEV-004
#endif

namespace pianola {

// Capacities of one profile. A device's description names its profile, and the proofs use it, so that host and target
// reach the same verdict whichever profile the host was built with.
struct Capacities {
    const char* name;
    std::uint32_t number;           // of schema::CapacityProfile: the larger, the more it takes
    std::uint32_t intervals;        // disjoint byte ranges in one map of a proof: 72 bytes of the plan's workspace each
    std::uint32_t steps_in_flight;  // that rings must hold: of a session 152 bytes each, and 16 for each device
    std::uint32_t patch_points;     // of all parameters: 4 bytes of a session each, and 1 of the plan's workspace
    // Queue commands of all scripts except the set-up, at most kMaxScriptCommands: 40 bytes of a session each. The
    // set-up may have the same number: 16 bytes of a session each, and 40 of the plan's workspace.
    std::uint32_t script_commands;
    std::uint32_t fault_records;    // that a session keeps after the fact, a power of two: 48 bytes of it each
    std::uint32_t manifest_bytes;   // no RAM; bounds the time to validate, as do those below
    std::uint32_t manifest_tables;  // in the manifest, counted once per reference
    std::uint32_t work_of_file;     // work units of the proofs that any file may take
    std::uint32_t work_of_block;    // and for each kWorkBlockBytes of it
    // Devices that one session drives: 92 bytes of it each, 8 of the plan's workspace. A runtime for one device has no
    // code for more.
    std::uint32_t mesh_devices;

    static constexpr std::uint32_t kWorkBlockBytes = 64U;
    // Work that the proofs of a file of that many bytes may take.
    [[nodiscard]] constexpr std::uint32_t max_work(std::uint32_t file_bytes) const noexcept {
        return work_of_file + ((file_bytes / kWorkBlockBytes) * work_of_block);
    }
};
namespace profiles {
inline constexpr Capacities kSmallEcu{
    "small_ecu",
    1U,
    64U,            // intervals
    2U,             // steps_in_flight
    16U,            // patch_points
    32U,            // script_commands
    1U,             // fault_records
    1024U * 1024U,  // manifest_bytes
    32768U,         // manifest_tables
    256U * 1024U,   // work_of_file
    32U,            // work_of_block
    1U,             // mesh_devices
};
inline constexpr Capacities kDefault{
    "default",
    2U,
    512U,                 // intervals
    16U,                  // steps_in_flight
    256U,                 // patch_points
    64U,                  // script_commands
    4U,                   // fault_records
    16U * 1024U * 1024U,  // manifest_bytes
    256U * 1024U,         // manifest_tables
    1024U * 1024U,        // work_of_file
    256U,                 // work_of_block
    8U,                   // mesh_devices
};
inline constexpr Capacities kHost{
    "host",
    3U,
    4096U,                // intervals
    16U,                  // steps_in_flight
    256U,                 // patch_points
    64U,                  // script_commands
    4U,                   // fault_records
    48U * 1024U * 1024U,  // manifest_bytes
    1024U * 1024U,        // manifest_tables
    64U * 1024U * 1024U,  // work_of_file
    2048U,                // work_of_block
    16U,                  // mesh_devices
};
}  // namespace profiles
// From the smallest to the largest.
inline constexpr std::array<const Capacities*, 3> kProfiles{&profiles::kSmallEcu, &profiles::kDefault,
                                                            &profiles::kHost};
inline constexpr const Capacities& kCapacities = profiles::PIANOLA_PROFILE;
// Default for a device that names no profile: the profile that the runtime was built with. Host tools, which can
// validate for any target, assume the default profile.
inline constexpr const Capacities& kDeviceCapacities =
    (kCapacities.intervals > profiles::kDefault.intervals) ? profiles::kDefault : kCapacities;

// The file.
inline constexpr std::uint32_t kMaxFileBytes = 64U * 1024U * 1024U;  // bounds the time to hash
inline constexpr std::uint32_t kFileAlignmentBytes = 64U;  // of the file in memory, and of every segment in it

// The manifest. These cost no RAM; each bounds the time to validate.
inline constexpr std::uint32_t kMaxManifestDepth = 8U;  // nesting of tables; the schema needs 4
inline constexpr std::uint32_t kMaxNameBytes = 128U;
inline constexpr std::uint32_t kMaxRank = 8U;  // dimensions of an input or output
inline constexpr std::uint32_t kMaxBuffers = 4096U;
inline constexpr std::uint32_t kMaxPrograms = UINT16_MAX;  // of one trace; at this value none but that of tables
inline constexpr std::uint32_t kMaxSelfTests = 256U;
inline constexpr std::uint32_t kMaxKernels = 256U;  // that the traces of one binary launch

// Commands. These cost no RAM; each bounds the time to validate and to replay.
inline constexpr std::uint32_t kMaxTraceWords = kMaxFileBytes / 4U;  // of one trace
inline constexpr std::uint32_t kMaxCommandWords = 64U;               // longest command
inline constexpr std::uint32_t kMaxExtentsPerCommand = 6U;           // that one command touches
inline constexpr std::uint32_t kMaxPatchesPerCommand = 4U;           // words of one command that parameters set
inline constexpr std::uint32_t kMaxPointsPerParameter = 256U;        // Capacities::patch_points bounds those of all
// Runs of an extent that the proofs treat separately; for an extent with more they use the hull.
inline constexpr std::uint32_t kMaxRunsPerExtent = 64U;
// Device cycles of one script, 2^36: about a minute at 1 GHz. 2^24 commands of as many cycles do not wrap in 64 bits.
inline constexpr std::uint64_t kMaxScriptCycles = 68719476736U;

// Work of the proofs over traces: every visit of a command counts its words, 2, 6 for each byte range that it touches,
// and the number that it is compared with. Capacities::max_work() says what a file may take, which bounds the time to
// validate (docs/evidence/worst_case.md).
inline constexpr std::uint32_t kWorkPerCommand = 2U;
inline constexpr std::uint32_t kWorkPerExtent = 6U;
inline constexpr std::uint32_t kRangesPerWork = 16U;  // that cores have touched: compared with each range of a dispatch
inline constexpr std::uint32_t kRangesPerExtent =
    64U;  // of a map that kWorkPerExtent moves; those above: kRangesPerWork

// Held in RAM, in a session if no other place is named.
inline constexpr std::uint32_t kMaxRegions = 8U;  // 32 bytes each in the reference device
inline constexpr std::uint32_t kMaxInputs = 8U;   // 16 bytes each
inline constexpr std::uint32_t kMaxOutputs = 8U;  // 16 bytes each
inline constexpr std::uint32_t kMaxTraces = 16U;
inline constexpr std::uint32_t kMaxScripts = 4U;
inline constexpr std::uint32_t kMaxScriptCommands = 64U;  // of one script of a file; no profile takes more of all
inline constexpr std::uint32_t kPlannedCommands = kCapacities.script_commands;
static_assert(kPlannedCommands <= kMaxScriptCommands);
inline constexpr std::uint32_t kMaxTensorBuffers = 64U;  // of one input or output; each is a command
inline constexpr std::uint32_t kMaxCores = 64U;          // of the grid; 10 bytes each in the workspace
inline constexpr std::uint32_t kMaxMeshDevices = kCapacities.mesh_devices;  // that one session drives
// A runtime for one device has no code that selects among devices.
inline constexpr bool kDrivesOneDevice = kMaxMeshDevices == 1U;
// State words that a command set may keep between the commands of a trace. 8 bytes each in the workspace.
inline constexpr std::uint32_t kMaxDecodeStateWords = 96U;
inline constexpr std::uint32_t kMaxQueues = 2U;
inline constexpr std::uint32_t kMaxEvents = 8U;
inline constexpr std::uint32_t kMaxStepsInFlight = kCapacities.steps_in_flight;
static_assert((kMaxStepsInFlight & (kMaxStepsInFlight - 1U)) == 0U, "tokens wrap: two under way never share a slot");
inline constexpr std::uint32_t kMaxParameters = 8U;  // 20 bytes each
inline constexpr std::uint32_t kMaxPatchPoints = kCapacities.patch_points;
static_assert((kMaxPatchPoints - 1U) <= UINT8_MAX, "PlanWorkspace::points has a byte for each");
inline constexpr std::uint32_t kMaxIntervals = kCapacities.intervals;  // of each of six maps in the workspace
// Bytes of device memory that are compared with the binary in one call. Bounds the time of a call; costs no RAM.
inline constexpr std::uint32_t kScrubSliceBytes = 16384U;
inline constexpr std::uint32_t kMaxFaultRecords = kCapacities.fault_records;
inline constexpr std::uint32_t kMaxPathSteps = 5U;  // of a field path; 16 bytes each in a verdict

// A smaller value makes the runtime refuse every binary that needs more; with 0 arrays would be empty.
static_assert((kMaxRegions > 0U) && (kMaxInputs > 0U) && (kMaxOutputs > 0U) && (kMaxTraces > 0U) &&
                  (kMaxScripts > 0U) && (kPlannedCommands > 0U) && (kMaxTensorBuffers > 0U) && (kMaxCores > 0U) &&
                  (kMaxQueues > 0U) && (kMaxEvents > 0U) && (kMaxStepsInFlight > 0U) && (kMaxParameters > 0U) &&
                  (kMaxMeshDevices > 0U) && (kMaxDecodeStateWords > 0U) && (kMaxPatchPoints > 0U) &&
                  (kMaxIntervals > 0U) && (kScrubSliceBytes > 0U) && (kMaxFaultRecords > 0U) && (kMaxPathSteps > 0U),
              "a capacity of what is held in RAM is at least 1");

}  // namespace pianola
