#include "capture_host/host/capture/make.h"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <optional>

#include "capture_host/capture/assembly.h"
#include "capture_host/capture/link.h"
#include "capture_host/host/capture/devices.h"
#include "capture_host/host/capture/host_writes.h"
#include "capture_host/host/capture/meaning.h"
#include "capture_host/host/capture/order.h"
#include "capture_host/host/capture/staging.h"
#include "capture_host/host/capture/trial.h"
#include "capture_host/host/capture/turn_order.h"
#include "pianola_host/files.h"

namespace pianola::host {
namespace {

// Warns if steps do not overlap although the program records events for it: a missing wait is visible nowhere else.
void warn_of_idle_records(const Scripts& scripts, std::vector<std::string>& warnings) {
    for (const std::string& record : scripts.idle_records) {
        warnings.push_back(
            fmt::format("captured with one step in flight: {} has no effect, because no other queue waits for it; wait "
                        "for it where a step needs what it stands for, and record it anew in every step",
                        record));
    }
    if (scripts.lost_prologue && scripts.idle_records.empty()) {
        warnings.emplace_back(
            "captured with one step in flight: a prologue was marked, and nothing in it has an effect; what a "
            "prologue can hold are inputs, programs, traces, and records that a step waits for");
    }
}

// The work of one device.
struct DeviceWork {
    Interpretation original;
    Scripts original_scripts;
    Interpretation staged;  // with separate memory where the runtime requires it
    Scripts staged_scripts;
};

// Makes a binary from one interpretation of the calls.
class BinaryMaker {
  public:
    BinaryMaker(const DeviceGrid& grid, const Interpretation& interpretation, const std::vector<Section>& program,
                const CaptureOptions& options)
        : grid_{grid}, device_{grid.devices.front()->state()}, options_{options}, warnings_{interpretation.warnings} {
        for (std::string& each : check_host_copies(interpretation, program)) {
            warnings_.push_back(std::move(each));
        }
        check_pairs(interpretation, device_.command_set);
        interpret_devices(interpretation, program);
        match();
        prove(program);
        if (works_.size() == 1U) {
            inputs_ = works_.front()->staged_scripts.inputs;
            outputs_ = works_.front()->staged_scripts.outputs;
        }
    }

    // Uses as many steps in flight as the options or the events allow.
    CapturedWorkload make() {
        if (options_.steps_in_flight != 0U) {
            return with_warnings(tried(options_.steps_in_flight));
        }
        // Steps that only events separate may overlap; steps between which the host waited may not.
        const bool has_prologue = std::any_of(works_.begin(), works_.end(), [](const auto& work) {
            return work->original_scripts.find(ScriptKind::kPrologue) != nullptr;
        });
        if (has_prologue) {
            try {
                return tried(capture::kUsualStepsInFlight);
            } catch (const HostError& error) {
                if (error.rule() != HostRule::kCaptureRefused) {
                    throw;
                }
                warnings_.push_back(fmt::format("captured with one step in flight, because with {}: {}",
                                                capture::kUsualStepsInFlight, error.what()));
            }
        }
        return with_warnings(tried(1U));
    }

  private:
    void interpret_devices(const Interpretation& interpretation, const std::vector<Section>& program) {
        std::vector<DeviceScripts> all;
        for (std::uint32_t i = 0U; i < grid_.devices.size(); ++i) {
            works_.push_back(std::make_unique<DeviceWork>());
            DeviceWork& work = *works_.back();
            work.original = interpretation_of(interpretation, i);
            check_calls_before_steps(work.original, device_.command_set);
            for (std::string& each :
                 check_turns_before_loop(work.original, sections_of(program, i), device_.command_set)) {
                warnings_.push_back(std::move(each));
            }
            work.original_scripts = make_scripts(work.original.sections, work.original.declarations);
            all.push_back({&work.original_scripts, &work.original.declarations});
        }
        check_content(all);
    }

    // Finds the tensors of different devices that are one.
    void match() {
        std::vector<Interpretation*> interpretations;
        for (const auto& work : works_) {
            interpretations.push_back(&work->original);
        }
        tensors_ =
            (works_.size() == 1U) ? tensors_of_one(works_.front()->original) : match_tensors(interpretations, grid_);
    }

    void prove(const std::vector<Section>& program) {
        std::vector<const Interpretation*> interpretations;
        for (std::uint32_t i = 0U; i < works_.size(); ++i) {
            check_order(works_[i]->original, works_[i]->original_scripts, sections_of(program, i), device_.command_set);
            interpretations.push_back(&works_[i]->original);
        }
        std::vector<Interpretation> staged = with_staging(interpretations, tensors_, device_.family, device_.spec);
        for (std::uint32_t i = 0U; i < works_.size(); ++i) {
            DeviceWork& work = *works_[i];
            work.staged = std::move(staged[i]);
            work.staged_scripts = make_scripts(work.staged.sections, work.staged.declarations);
            const std::string why =
                check_meaning(work.staged, work.staged_scripts, sections_of(program, i), device_.command_set);
            why_no_vectors_ = why_no_vectors_.empty() ? why : why_no_vectors_;
        }
    }

    capture::LinkedBinary linked(std::uint32_t steps_in_flight) {
        RangeSet used;
        for (const auto& work : works_) {
            if (works_.size() > 1U) {
                used.add(used_bytes(device_.command_set, work->staged_scripts, work->staged.declarations));
            }
        }
        std::vector<capture::LinkedBinary> parts;
        for (const auto& work : works_) {
            parts.push_back(link_capture(device_.family, device_.spec, work->staged_scripts, work->staged.declarations,
                                         options_, steps_in_flight, used));
        }
        if (parts.size() == 1U) {
            return std::move(parts.front());
        }
        capture::LinkedBinary all = merge_devices(std::move(parts), tensors_, grid_);
        merge_data(all.manifest);
        return all;
    }

    void merge_data(const capture::Manifest& manifest) {
        std::vector<const Records*> inputs;
        std::vector<const Records*> outputs;
        for (const auto& work : works_) {
            inputs.push_back(&work->staged_scripts.inputs);
            outputs.push_back(&work->staged_scripts.outputs);
        }
        inputs_ = merge_records(inputs, tensors_.inputs, manifest.inputs);
        outputs_ = merge_records(outputs, tensors_.outputs, manifest.outputs);
        if (tensors_.inputs.empty()) {
            inputs_.resize(outputs_.size());
        } else if (tensors_.outputs.empty()) {
            outputs_.resize(inputs_.size());
        } else {
            // Every inference has both.
        }
    }

    // Adds vectors from the captured run.
    void add_vectors(capture::LinkedBinary& linked) const {
        const bool has_vectors = options_.self_tests && why_no_vectors_.empty();
        const std::size_t vectors = has_vectors ? std::min<std::size_t>(inputs_.size(), kMaxSelfTests) : 0U;
        for (std::size_t i = 0U; i < vectors; ++i) {
            capture::add_self_test(inputs_[i], outputs_[i], SelfTestOrigin::kCaptured, linked.manifest,
                                   linked.segments);
        }
    }

    CapturedWorkload tried(std::uint32_t steps_in_flight) {
        capture::LinkedBinary linked = this->linked(steps_in_flight);
        if (inputs_.size() != outputs_.size()) {
            throw HostError{HostRule::kCaptureContent,
                            fmt::format("the captured run gave inputs {} times and took outputs {} times",
                                        inputs_.size(), outputs_.size())};
        }
        add_vectors(linked);
        CapturedWorkload workload;
        workload.file = capture::write_trace_binary(linked.manifest, linked.segments);
        workload.manifest = linked.manifest;
        workload.profile = profile_of(linked.manifest.target).name;
        workload.steps = works_.front()->staged_scripts.steps;
        workload.inputs = inputs_;
        workload.outputs = outputs_;
        if (options_.self_tests && !why_no_vectors_.empty()) {
            workload.warnings.push_back(fmt::format(
                "the binary has no self-test vectors, because its outputs depend on earlier steps: {}. Vectors "
                "must hold at any time and in any order: initialise in the step what it keeps on the device, "
                "or test the binary on target by other means",
                why_no_vectors_));
        }
        try {
            try_workload(workload, device_.spec);
        } catch (const TrialRefused& refused) {
            if (!options_.refused_file.empty()) {
                files::store_file(options_.refused_file, workload.file);
            }
            check_alone(steps_in_flight);
            throw HostError{HostRule::kCaptureRefused,
                            explain_refusal(linked, refused.verdict(), device_) + refused.remedy()};
        }
        workload.warnings.insert(workload.warnings.begin(), warnings_.begin(), warnings_.end());
        return workload;
    }

    // If the runtime refuses one device's work, it refuses it for that device alone too, with a clearer message.
    void check_alone(std::uint32_t steps_in_flight) const {
        for (std::size_t i = 0U; (works_.size() > 1U) && (i < works_.size()); ++i) {
            const DeviceWork& work = *works_[i];
            const capture::LinkedBinary alone = link_capture(device_.family, device_.spec, work.staged_scripts,
                                                             work.staged.declarations, options_, steps_in_flight);
            try {
                try_load(capture::write_trace_binary(alone.manifest, alone.segments), device_.spec);
            } catch (const TrialRefused& refused) {
                throw HostError{HostRule::kCaptureRefused,
                                fmt::format("device ({}, {}): {}{}", i / grid_.columns, i % grid_.columns,
                                            explain_refusal(alone, refused.verdict(), grid_.devices[i]->state()),
                                            refused.remedy())};
            }
        }
    }

    // Adds warnings about what has no effect with one step in flight.
    CapturedWorkload with_warnings(CapturedWorkload workload) {
        if (workload.manifest.steps_in_flight == 1U) {
            std::vector<std::string> idle;
            for (const auto& work : works_) {
                warn_of_idle_records(work->staged_scripts, idle);
            }
            const auto behind = workload.warnings.begin() + static_cast<std::ptrdiff_t>(warnings_.size());
            workload.warnings.insert(behind, idle.begin(), idle.end());
        }
        return workload;
    }

    const DeviceGrid& grid_;
    const DeviceState& device_;  // the first; all are alike
    const CaptureOptions& options_;
    std::vector<std::unique_ptr<DeviceWork>> works_;
    std::vector<std::string> warnings_;
    std::string why_no_vectors_;
    MeshTensors tensors_;
    Records inputs_;
    Records outputs_;
};

HostError with_remark(const HostError& error, const std::string& remark) {
    const std::string text = error.what();
    const std::string rule = fmt::format("{}: ", error.rule_id());
    return HostError{error.rule(),
                     fmt::format("{} ({})", text.substr((text.find(rule) == 0U) ? rule.size() : 0U), remark)};
}

// Whether another interpretation may still be right.
bool may_try_another(HostRule rule) {
    return (rule == HostRule::kCaptureRefused) || (rule == HostRule::kCaptureContent) ||
           (rule == HostRule::kCaptureTensor) || (rule == HostRule::kCaptureLimit) || (rule == HostRule::kCompare);
}

}  // namespace

CapturedWorkload make_workload(const DeviceGrid& grid, const std::vector<Section>& recorded,
                               const Declarations& declarations, CaptureOptions options) {
    const std::vector<Section> program = with_event_slots(recorded);
    const CommandSet& command_set = grid.devices.front()->state().command_set;
    std::vector<Section> ordered;
    if (recorded.size() == 1U) {
        std::optional<std::vector<Call>> calls = in_turn_order(recorded.front().calls, command_set);
        if (calls.has_value()) {
            ordered = with_event_slots({Section{ScriptKind::kUnspecified, std::move(*calls)}});
        }
    }
    std::exception_ptr
        refusal;  // of the likeliest interpretation; preferably of the likeliest whose only fault is its order
    bool is_order = false;
    for (const Interpretation& interpretation : interpretations_of(program, ordered, declarations, command_set)) {
        const auto keep = [&](const HostError& error, bool is_better) {
            if ((refusal == nullptr) || is_better) {
                refusal = std::make_exception_ptr(
                    interpretation.how_found.empty() ? error : with_remark(error, interpretation.how_found));
            }
        };
        try {
            return BinaryMaker{grid, interpretation, program, options}.make();
        } catch (const OrderRefused& error) {
            keep(error, !is_order);
            is_order = true;
        } catch (const HostError& error) {
            keep(error, false);
            if (!may_try_another(error.rule())) {
                break;
            }
        }
        options.refused_file.clear();
    }
    std::rethrow_exception(refusal);
}

}  // namespace pianola::host
