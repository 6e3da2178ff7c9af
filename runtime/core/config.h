// Every capacity of the runtime, in one place.
//
// Place in the whole: bounds of every loop and array on target. Raising one costs the RAM or time that its comment says;
// a binary that needs more than a capacity is refused by name (rules CAP-*), never truncated.
#pragma once

#include <cstdint>

namespace pianola {

// The file.
inline constexpr std::uint32_t kMaxFileBytes = 64U * 1024U * 1024U;  // bounds the time to hash
inline constexpr std::uint32_t kFileAlignmentBytes = 64U;  // of the file in memory, and of every segment in it

// The manifest. These cost no RAM; each bounds the time to validate.
inline constexpr std::uint32_t kMaxManifestBytes = 1024U * 1024U;
inline constexpr std::uint32_t kMaxManifestTables = 32768U;  // tables that the FlatBuffers verifier visits
inline constexpr std::uint32_t kMaxManifestDepth = 8U;       // nesting of tables; the schema needs 4
inline constexpr std::uint32_t kMaxNameBytes = 128U;
inline constexpr std::uint32_t kMaxRank = 8U;  // dimensions of an input or output
inline constexpr std::uint32_t kMaxBuffers = 4096U;
inline constexpr std::uint32_t kMaxPrograms = 16384U;  // of one trace
inline constexpr std::uint32_t kMaxSelfTests = 256U;

// Commands. These cost no RAM; each bounds the time to validate and to replay.
inline constexpr std::uint32_t kMaxTraceWords = 1U << 20U;    // of one trace
inline constexpr std::uint32_t kMaxCommandWords = 64U;        // longest command
inline constexpr std::uint32_t kMaxScriptCycles = 1U << 30U;  // device cycles of one script: about a second at 1 GHz

// Work of the proofs over traces: every visit of a command counts its words, 2, 6 for each byte range that it touches, and what it is
// compared with. What a file of that many bytes may take: a half for each of its bytes, and what small files need. Bounds the
// time to validate (docs/WORST_CASE.md).
inline constexpr std::uint32_t kWorkPerCommand = 2U;
inline constexpr std::uint32_t kWorkPerExtent = 6U;
inline constexpr std::uint32_t kPatchPointsPerWork = 8U;  // each is compared with every command
inline constexpr std::uint32_t kRangesPerWork = 16U;  // that cores have touched: compared with each range of a dispatch
[[nodiscard]] constexpr std::uint32_t max_proof_work(std::uint32_t file_bytes) noexcept {
    constexpr std::uint32_t kOfSmallFiles = 256U * 1024U;
    return kOfSmallFiles + (file_bytes / 2U);
}

// Held in RAM. The bytes are those of a session, unless another place is named.
inline constexpr std::uint32_t kMaxRegions = 8U;  // 32 bytes each in the reference device
inline constexpr std::uint32_t kMaxInputs = 8U;   // 16 bytes each
inline constexpr std::uint32_t kMaxOutputs = 8U;  // 16 bytes each
inline constexpr std::uint32_t kMaxTraces = 16U;
inline constexpr std::uint32_t kMaxScripts = 4U;
// Of all scripts but the set-up; the set-up's have the same place once more, in the plan's workspace. 32 bytes each.
inline constexpr std::uint32_t kMaxScriptCommands = 64U;
inline constexpr std::uint32_t kMaxTensorBuffers = 64U;  // of one input or output; each is a command
inline constexpr std::uint32_t kMaxCores = 64U;          // of the grid; 10 bytes each in the workspace
inline constexpr std::uint32_t kMaxQueues = 2U;
inline constexpr std::uint32_t kMaxEvents = 8U;
inline constexpr std::uint32_t kMaxStepsInFlight = 2U;  // rings must hold them all
inline constexpr std::uint32_t kMaxParameters = 8U;     // 20 bytes each
inline constexpr std::uint32_t kMaxPatchPoints = 16U;   // of all parameters together; 4 bytes each
// Disjoint byte ranges in one proof; 72 bytes each in the workspace, which has six maps of them.
inline constexpr std::uint32_t kMaxIntervals = 64U;
// Bytes of device memory that are compared with the binary in one call. Bounds the time of a call; costs no RAM.
inline constexpr std::uint32_t kScrubSliceBytes = 1024U;
inline constexpr std::uint32_t kMaxFaultRecords = 4U;  // kept after the fact; 64 bytes each
inline constexpr std::uint32_t kMaxPathSteps = 5U;     // of a field path; 16 bytes each in a verdict

// Whoever makes one smaller has every binary that needs more refused; at none at all arrays would be empty.
static_assert((kMaxRegions > 0U) && (kMaxInputs > 0U) && (kMaxOutputs > 0U) && (kMaxTraces > 0U) &&
                  (kMaxScripts > 0U) && (kMaxScriptCommands > 0U) && (kMaxTensorBuffers > 0U) && (kMaxCores > 0U) &&
                  (kMaxQueues > 0U) && (kMaxEvents > 0U) && (kMaxStepsInFlight > 0U) && (kMaxParameters > 0U) &&
                  (kMaxPatchPoints > 0U) && (kMaxIntervals > 0U) && (kScrubSliceBytes > 0U) &&
                  (kMaxFaultRecords > 0U) && (kMaxPathSteps > 0U),
              "a capacity of what is held in RAM is at least 1");

}  // namespace pianola
