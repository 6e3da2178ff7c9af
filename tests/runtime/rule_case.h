// A table of damaged binaries: for every rule, files that this rule and no earlier one refuses.
//
// Each list of cases covers some groups of runtime/include/pianola/rules.inc; rules_test.cpp runs all of them and shows
// that no rule was forgotten, and pianola_vectors packs them for targets.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "pianola/device.h"
#include "pianola/rule.h"
#include "tests/support/trace_file.h"
#include "tests/support/workload.h"

namespace pianola::test {

struct Mutant {
    std::vector<std::uint8_t> file;
    DeviceDescription device;
};

using FileOffset = std::function<std::uint32_t(const std::vector<std::uint8_t>& file)>;

struct RuleCase {
    Rule rule;
    const char* what;  // is wrong with the file
    const char* path;
    FileOffset offset;  // the file offset that the verdict must name
    std::function<Mutant()> make;
};

std::vector<RuleCase> envelope_cases();
std::vector<RuleCase> image_cases();
std::vector<RuleCase> layout_cases();  // and the target
std::vector<RuleCase> file_cases();    // weights that stay in the file
std::vector<RuleCase> trace_cases();
std::vector<RuleCase> parameter_cases();
std::vector<RuleCase> script_cases();
std::vector<RuleCase> mesh_cases();
std::vector<RuleCase> order_cases();  // and budgets
[[nodiscard]] std::vector<RuleCase> all_cases();

// A file that no rule refuses, on the default device.
struct AcceptedCase {
    std::string what;
    std::vector<std::uint8_t> file;
};
[[nodiscard]] std::vector<AcceptedCase> accepted_cases();
[[nodiscard]] std::vector<AcceptedCase> accepted_parameters();    // part of them
[[nodiscard]] std::vector<AcceptedCase> accepted_combinations();  // likewise

// What a device of the default DeviceSpec says of itself.
[[nodiscard]] DeviceDescription default_device();

using BytesEdit = std::function<void(std::vector<std::uint8_t>& file)>;
using WorkloadEdit = std::function<void(Workload& workload, DeviceDescription& device)>;

// A file whose bytes were changed; with the right digest, unless `fix` is false.
[[nodiscard]] std::function<Mutant()> bytes_edit(const BytesEdit& edit, bool fix = true);
// A file that was written from a changed manifest, or from changed segments.
[[nodiscard]] std::function<Mutant()> workload_edit(const WorkloadEdit& edit, std::uint32_t queues = 1U);
// The same, where the device keeps its description.
[[nodiscard]] std::function<Mutant()> manifest_edit(const std::function<void(capture::Manifest& manifest)>& edit,
                                                    std::uint32_t queues = 1U);

// Offsets, found without the code under test.
[[nodiscard]] FileOffset fixed(std::uint32_t offset);
[[nodiscard]] FileOffset manifest_start();
[[nodiscard]] FileOffset trace_word(std::uint32_t word);

// A step into the manifest: a field by its number in the vtable, and an index where the field is a list.
struct Step {
    flatbuffers::voffset_t field{0U};
    std::uint32_t index{UINT32_MAX};
};
// Where the table at the end of the steps starts.
[[nodiscard]] FileOffset table(std::vector<Step> steps);
// Where one of its fields lies. The field must be there.
[[nodiscard]] FileOffset field(std::vector<Step> steps, flatbuffers::voffset_t field);

}  // namespace pianola::test
