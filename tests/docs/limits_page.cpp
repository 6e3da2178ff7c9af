// limits_page: prints docs/reference/limits.md from the runtime's capacities.
//
// A test compares its output with the page, so that neither can be changed alone.

#include <array>
#include <cstdint>
#include <iostream>

#include "pianola/config.h"

namespace {

using pianola::Capacities;

constexpr const char* kHead = R"(# Limits

Every capacity of the runtime. Made from `runtime/include/pianola/config.h`, the one place that has them; do not edit. A
binary that needs more is refused by name, never cut off. What RAM each costs says that header; what time the larger
ones cost says [worst_case](../evidence/worst_case.md).

## By profile

A profile is chosen when the runtime is built (`PIANOLA_PROFILE`), and named in the device's description, so that a host
judges by the target's numbers.
)";

struct ProfileRow {
    const char* what;
    std::uint32_t Capacities::* member;
    const char* rule;
};
constexpr std::array kRows{
    ProfileRow{"disjoint byte ranges in a map of a proof", &Capacities::intervals, "CAP-INTERVALS"},
    ProfileRow{"steps in flight", &Capacities::steps_in_flight, "BUD-IN-FLIGHT"},
    ProfileRow{"words that parameters patch", &Capacities::patch_points, "CAP-POINTS"},
    ProfileRow{"queue commands of all scripts except the set-up", &Capacities::script_commands, "CAP-COMMANDS"},
    ProfileRow{"fault records that a session keeps", &Capacities::fault_records, ""},
    ProfileRow{"bytes of the manifest", &Capacities::manifest_bytes, "IMG-SIZE"},
    ProfileRow{"tables of the manifest", &Capacities::manifest_tables, "CAP-TABLES"},
    ProfileRow{"units of work of the proofs, for any file", &Capacities::work_of_file, "CAP-WORK"},
    ProfileRow{"units of work more, for every 64 bytes of it", &Capacities::work_of_block, "CAP-WORK"},
    ProfileRow{"devices of a mesh", &Capacities::mesh_devices, "TGT-MESH"},
};

struct Row {
    const char* what;
    std::uint64_t limit;
    const char* rule;
};
constexpr std::array kFileRows{
    Row{"bytes of a file", pianola::kMaxFileBytes, "ENV-FILE-SIZE"},
    Row{"alignment of the file in memory", pianola::kFileAlignmentBytes, "ENV-ALIGNMENT"},
    Row{"bytes of a name", pianola::kMaxNameBytes, "IMG-NAME"},
    Row{"dimensions of an input or output", pianola::kMaxRank, "IMG-COUNT"},
    Row{"buffers", pianola::kMaxBuffers, "IMG-COUNT"},
    Row{"programs of a trace", pianola::kMaxPrograms, "IMG-COUNT"},
    Row{"self-test vectors", pianola::kMaxSelfTests, "IMG-COUNT"},
    Row{"kernels that its traces launch", pianola::kMaxKernels, "IMG-COUNT"},
    Row{"regions", pianola::kMaxRegions, "IMG-COUNT"},
    Row{"inputs", pianola::kMaxInputs, "IMG-COUNT"},
    Row{"outputs", pianola::kMaxOutputs, "IMG-COUNT"},
    Row{"buffers of one input or output", pianola::kMaxTensorBuffers, "IMG-COUNT"},
    Row{"traces", pianola::kMaxTraces, "IMG-COUNT"},
    Row{"scripts", pianola::kMaxScripts, "IMG-COUNT"},
    Row{"commands of one script", pianola::kMaxScriptCommands, "IMG-COUNT"},
    Row{"events", pianola::kMaxEvents, "IMG-COUNT"},
    Row{"parameters", pianola::kMaxParameters, "IMG-COUNT"},
    Row{"words that one parameter patches", pianola::kMaxPointsPerParameter, "IMG-COUNT"},
};
constexpr std::array kDeviceRows{
    Row{"queues", pianola::kMaxQueues, "TGT-QUEUES"},
    Row{"cores of the grid", pianola::kMaxCores, "TGT-GRID"},
    Row{"words of one trace", pianola::kMaxTraceWords, ""},
    Row{"words of one command", pianola::kMaxCommandWords, "TRC-COMMAND"},
    Row{"byte ranges that one command touches", pianola::kMaxExtentsPerCommand, ""},
    Row{"words of one command that parameters set", pianola::kMaxPatchesPerCommand, "PAR-COMMAND"},
    Row{"runs of a range that are judged one by one", pianola::kMaxRunsPerExtent, ""},
    Row{"device cycles of one script", pianola::kMaxScriptCycles, "BUD-CEILING"},
    Row{"bytes that one scrub compares", pianola::kScrubSliceBytes, ""},
};

void print_rule(const char* rule) {
    if (*rule != '\0') {
        std::cout << '`' << rule << '`';
    }
    std::cout << " |\n";
}

template <std::size_t kCount>
void print_rows(const std::array<Row, kCount>& rows) {
    std::cout << "| what | at most | beyond it |\n|---|---:|---|\n";
    for (const Row& row : rows) {
        std::cout << "| " << row.what << " | " << row.limit << " | ";
        print_rule(row.rule);
    }
}

}  // namespace

int main() {
    std::cout << kHead << "\n| what |";
    for (const Capacities* profile : pianola::kProfiles) {
        std::cout << " `" << profile->name << "` |";
    }
    std::cout << " beyond it |\n|---|---:|---:|---:|---|\n";
    for (const ProfileRow& row : kRows) {
        std::cout << "| " << row.what << " |";
        for (const Capacities* profile : pianola::kProfiles) {
            std::cout << ' ' << profile->*row.member << " |";
        }
        std::cout << ' ';
        print_rule(row.rule);
    }
    std::cout << "\n## The same in every profile: the file\n\n";
    print_rows(kFileRows);
    std::cout << "\n## The same in every profile: devices and commands\n\n";
    print_rows(kDeviceRows);
    std::cout << "\nLimits of operators are in [operators](operators.md), of kernels in [device](device.md), of files "
                 "that tools "
                 "read in\n[cli](cli.md).\n";
    return std::cout.flush() ? 0 : 1;
}
