#include "tests/runtime/rule_case.h"

#include <stdexcept>

#include "hal/devices/refdev/device_spec.h"

namespace pianola::test {
namespace {

using flatbuffers::Table;
using Tables = flatbuffers::Vector<flatbuffers::Offset<Table>>;

const Table* find(const std::vector<std::uint8_t>& file, const std::vector<Step>& steps) {
    const auto* current = flatbuffers::GetRoot<Table>(file.data() + segment_offset(file, 0U));
    for (const Step& step : steps) {
        current = (step.index == UINT32_MAX) ? current->GetPointer<const Table*>(step.field)
                                             : current->GetPointer<const Tables*>(step.field)->Get(step.index);
    }
    return current;
}

std::uint32_t offset_of(const std::vector<std::uint8_t>& file, const void* place) {
    return static_cast<std::uint32_t>(static_cast<const std::uint8_t*>(place) - file.data());
}

}  // namespace

std::vector<RuleCase> all_cases() {
    std::vector<RuleCase> cases;
    for (const auto& list : {envelope_cases(), image_cases(), layout_cases(), file_cases(), trace_cases(),
                             parameter_cases(), script_cases(), mesh_cases(), order_cases()}) {
        cases.insert(cases.end(), list.begin(), list.end());
    }
    return cases;
}

std::vector<AcceptedCase> accepted_cases() {
    std::vector<AcceptedCase> cases;
    for (const std::uint32_t queues : {1U, 2U}) {
        for (const std::uint32_t self_tests : {0U, 3U}) {
            cases.push_back({std::to_string(queues) + " queues, " + std::to_string(self_tests) + " self-tests",
                             make_workload(queues, self_tests).file()});
        }
    }
    const std::vector<AcceptedCase> parameters = accepted_parameters();
    cases.insert(cases.end(), parameters.begin(), parameters.end());
    const std::vector<AcceptedCase> combinations = accepted_combinations();
    cases.insert(cases.end(), combinations.begin(), combinations.end());
    return cases;
}

DeviceDescription default_device() {
    DeviceDescription device;
    refdev::describe(refdev::DeviceSpec{}, device);
    device.capacities = &profiles::kSmallEcu;  // that of boards, which get these files, too
    return device;
}

std::function<Mutant()> bytes_edit(const BytesEdit& edit, bool fix) {
    return [edit, fix] {
        Mutant mutant{make_workload(1U).file(), default_device()};
        edit(mutant.file);
        if (fix) {
            capture::fix_digest(mutant.file);
        }
        return mutant;
    };
}

std::function<Mutant()> workload_edit(const WorkloadEdit& edit, std::uint32_t queues) {
    return [edit, queues] {
        Workload workload = make_workload(queues);
        Mutant mutant{{}, default_device()};
        edit(workload, mutant.device);
        mutant.file = workload.file();
        return mutant;
    };
}

std::function<Mutant()> manifest_edit(const std::function<void(capture::Manifest&)>& edit, std::uint32_t queues) {
    return workload_edit([edit](Workload& workload, DeviceDescription&) { edit(workload.manifest); }, queues);
}

FileOffset fixed(std::uint32_t offset) {
    return [offset](const std::vector<std::uint8_t>&) { return offset; };
}

FileOffset manifest_start() {
    return fixed(kHeaderBytes);
}

FileOffset trace_word(std::uint32_t word) {
    return [word](const std::vector<std::uint8_t>& file) { return segment_offset(file, 2U) + (word * 4U); };
}

FileOffset table(std::vector<Step> steps) {
    return [steps = std::move(steps)](const std::vector<std::uint8_t>& file) {
        return offset_of(file, find(file, steps));
    };
}

FileOffset field(std::vector<Step> steps, flatbuffers::voffset_t field) {
    return [steps = std::move(steps), field](const std::vector<std::uint8_t>& file) {
        const std::uint8_t* const place = find(file, steps)->GetAddressOf(field);
        if (place == nullptr) {
            throw std::logic_error{"the field is not in the file"};
        }
        return offset_of(file, place);
    };
}

}  // namespace pianola::test
