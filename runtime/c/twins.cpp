// Assertions that twin structures match. Contains no code.
#include "runtime/c/twins.h"

#include <cstddef>

#include "pianola/footprint.h"

namespace pianola::c_api {
namespace {

// Type and place of a member.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-050
#define PIANOLA_SAME(c_type, c_member, cpp_type, cpp_member)                        \
    static_assert((offsetof(c_type, c_member) == offsetof(cpp_type, cpp_member)) && \
                  (sizeof(decltype(c_type::c_member)) == sizeof(decltype(cpp_type::cpp_member))))

template <typename C>
constexpr bool are_twins() noexcept {
    using Cpp = typename TwinOf<C>::Type;
    return std::is_standard_layout_v<C> && std::is_standard_layout_v<Cpp> && std::is_trivially_copyable_v<Cpp> &&
           (sizeof(C) == sizeof(Cpp)) && (alignof(C) == alignof(Cpp));
}

PIANOLA_SAME(pnl_device_description_t, family, DeviceDescription, family);
PIANOLA_SAME(pnl_device_description_t, command_set_id, DeviceDescription, command_set_id);
PIANOLA_SAME(pnl_device_description_t, command_set_version, DeviceDescription, command_set_version);
PIANOLA_SAME(pnl_device_description_t, kernel_library, DeviceDescription, kernel_library);
PIANOLA_SAME(pnl_device_description_t, dram_base, DeviceDescription, dram_base);
PIANOLA_SAME(pnl_device_description_t, dram_bytes, DeviceDescription, dram_bytes);
PIANOLA_SAME(pnl_device_description_t, l1_base, DeviceDescription, l1_base);
PIANOLA_SAME(pnl_device_description_t, l1_bytes, DeviceDescription, l1_bytes);
PIANOLA_SAME(pnl_device_description_t, file_base, DeviceDescription, file_base);
PIANOLA_SAME(pnl_device_description_t, file_bytes, DeviceDescription, file_bytes);
PIANOLA_SAME(pnl_device_description_t, trace_region_bytes, DeviceDescription, trace_region_bytes);
PIANOLA_SAME(pnl_device_description_t, clock_khz, DeviceDescription, clock_khz);
PIANOLA_SAME(pnl_device_description_t, core_khz, DeviceDescription, core_khz);
PIANOLA_SAME(pnl_device_description_t, millicycles_per_instruction, DeviceDescription, millicycles_per_instruction);
PIANOLA_SAME(pnl_device_description_t, queue_count, DeviceDescription, queue_count);
PIANOLA_SAME(pnl_device_description_t, ring_words, DeviceDescription, ring_words);
PIANOLA_SAME(pnl_device_description_t, grid_columns, DeviceDescription, grid_columns);
PIANOLA_SAME(pnl_device_description_t, grid_rows, DeviceDescription, grid_rows);
PIANOLA_SAME(pnl_device_description_t, dram_banks, DeviceDescription, dram_banks);
PIANOLA_SAME(pnl_device_description_t, attestation, DeviceDescription, attestation);
PIANOLA_SAME(pnl_device_description_t, costs, DeviceDescription, costs);
PIANOLA_SAME(pnl_device_description_t, cost_model, DeviceDescription, cost_model);
PIANOLA_SAME(pnl_device_description_t, weights_layout, DeviceDescription, weights_layout);
PIANOLA_SAME(pnl_device_description_t, capacities, DeviceDescription, capacities);
PIANOLA_SAME(pnl_device_description_t, mesh_rows, DeviceDescription, mesh_rows);
PIANOLA_SAME(pnl_device_description_t, mesh_columns, DeviceDescription, mesh_columns);
static_assert(are_twins<pnl_device_description_t>());

PIANOLA_SAME(pnl_region_t, base, RegionConfig, base);
PIANOLA_SAME(pnl_region_t, size_bytes, RegionConfig, size_bytes);
PIANOLA_SAME(pnl_region_t, kernels_read, RegionConfig, kernels_read);
PIANOLA_SAME(pnl_region_t, kernels_write, RegionConfig, kernels_write);
PIANOLA_SAME(pnl_region_t, queues_read, RegionConfig, queues_read);
PIANOLA_SAME(pnl_region_t, queues_write, RegionConfig, queues_write);
PIANOLA_SAME(pnl_region_t, fetch, RegionConfig, fetch);
static_assert(are_twins<pnl_region_t>());

PIANOLA_SAME(pnl_queue_command_t, kind, QueueCommand, kind);
PIANOLA_SAME(pnl_queue_command_t, address, QueueCommand, address);
PIANOLA_SAME(pnl_queue_command_t, size_bytes, QueueCommand, size_bytes);
PIANOLA_SAME(pnl_queue_command_t, slot, QueueCommand, slot);
PIANOLA_SAME(pnl_queue_command_t, slot_offset, QueueCommand, slot_offset);
PIANOLA_SAME(pnl_queue_command_t, event, QueueCommand, event);
PIANOLA_SAME(pnl_queue_command_t, value, QueueCommand, value);
PIANOLA_SAME(pnl_queue_command_t, check, QueueCommand, check);
static_assert(are_twins<pnl_queue_command_t>());

PIANOLA_SAME(pnl_completion_t, token, Completion, token);
PIANOLA_SAME(pnl_completion_t, executed_commands, Completion, executed_commands);
PIANOLA_SAME(pnl_completion_t, digest, Completion, digest);
PIANOLA_SAME(pnl_completion_t, time_cycles, Completion, time_cycles);
PIANOLA_SAME(pnl_completion_t, fault, Completion, fault);
PIANOLA_SAME(pnl_completion_t, fault_command, Completion, fault_command);
PIANOLA_SAME(pnl_completion_t, fault_address, Completion, fault_address);
static_assert(are_twins<pnl_completion_t>());

PIANOLA_SAME(pnl_fault_t, status, FaultRecord, status);
PIANOLA_SAME(pnl_fault_t, stage, FaultRecord, stage);
PIANOLA_SAME(pnl_fault_t, device_stopped, FaultRecord, device_stopped);
PIANOLA_SAME(pnl_fault_t, row, FaultRecord, row);
PIANOLA_SAME(pnl_fault_t, column, FaultRecord, column);
PIANOLA_SAME(pnl_fault_t, queue, FaultRecord, queue);
PIANOLA_SAME(pnl_fault_t, step, FaultRecord, step);
PIANOLA_SAME(pnl_fault_t, time_us, FaultRecord, time_us);
PIANOLA_SAME(pnl_fault_t, started_us, FaultRecord, started_us);
PIANOLA_SAME(pnl_fault_t, deadline_us, FaultRecord, deadline_us);
PIANOLA_SAME(pnl_fault_t, device_fault, FaultRecord, device_fault);
PIANOLA_SAME(pnl_fault_t, command, FaultRecord, command);
PIANOLA_SAME(pnl_fault_t, address, FaultRecord, address);
static_assert(are_twins<pnl_fault_t>());

PIANOLA_SAME(pnl_repeat_t, count, Repeat, count);
PIANOLA_SAME(pnl_repeat_t, stride_bytes, Repeat, stride_bytes);

PIANOLA_SAME(pnl_extent_t, address, Extent, address);
PIANOLA_SAME(pnl_extent_t, size_bytes, Extent, size_bytes);
PIANOLA_SAME(pnl_extent_t, access, Extent, access);
PIANOLA_SAME(pnl_extent_t, field, Extent, field);
PIANOLA_SAME(pnl_extent_t, inner, Extent, inner);
PIANOLA_SAME(pnl_extent_t, outer, Extent, outer);
static_assert(are_twins<pnl_extent_t>());

PIANOLA_SAME(pnl_decoded_command_t, kind, DecodedCommand, kind);
PIANOLA_SAME(pnl_decoded_command_t, length_words, DecodedCommand, length_words);
PIANOLA_SAME(pnl_decoded_command_t, kernel_id, DecodedCommand, kernel_id);
PIANOLA_SAME(pnl_decoded_command_t, core, DecodedCommand, core);
PIANOLA_SAME(pnl_decoded_command_t, cost_cycles, DecodedCommand, cost_cycles);
PIANOLA_SAME(pnl_decoded_command_t, core_cycles, DecodedCommand, core_cycles);
PIANOLA_SAME(pnl_decoded_command_t, extents, DecodedCommand, extents);
static_assert(are_twins<pnl_decoded_command_t>());

PIANOLA_SAME(pnl_decode_error_t, field, DecodeError, field);
PIANOLA_SAME(pnl_decode_error_t, word, DecodeError, word);
PIANOLA_SAME(pnl_decode_error_t, unknown_command, DecodeError, unknown_command);
PIANOLA_SAME(pnl_decode_error_t, unknown_kernel, DecodeError, unknown_kernel);
static_assert(are_twins<pnl_decode_error_t>());

PIANOLA_SAME(pnl_decode_state_t, used, DecodeState, used);
PIANOLA_SAME(pnl_decode_state_t, words, DecodeState, words);
static_assert(are_twins<pnl_decode_state_t>());

PIANOLA_SAME(pnl_kernel_t, version, KernelIdentity, version);
PIANOLA_SAME(pnl_kernel_t, argument_words, KernelIdentity, argument_words);
PIANOLA_SAME(pnl_kernel_t, cost_version, KernelIdentity, cost_version);
static_assert(are_twins<pnl_kernel_t>());

PIANOLA_SAME(pnl_trusted_key_t, id, TrustedKey, id);
PIANOLA_SAME(pnl_trusted_key_t, key, TrustedKey, key);
PIANOLA_SAME(pnl_trusted_key_t, state, TrustedKey, state);
static_assert(are_twins<pnl_trusted_key_t>());

PIANOLA_SAME(pnl_trust_t, signatures, Trust, signatures);
static_assert(offsetof(pnl_trust_t, keys) == offsetof(Trust, keys));
static_assert(sizeof(Span<const TrustedKey>) == (offsetof(pnl_trust_t, verifier) - offsetof(pnl_trust_t, keys)));
PIANOLA_SAME(pnl_trust_t, verifier, Trust, verifier);
PIANOLA_SAME(pnl_trust_t, lowest_security_version, Trust, lowest_security_version);
PIANOLA_SAME(pnl_trust_t, digest_engine, Trust, digest_engine);
static_assert(are_twins<pnl_trust_t>());

PIANOLA_SAME(pnl_fault_interval_t, ftti_us, FaultInterval, ftti_us);
PIANOLA_SAME(pnl_fault_interval_t, period_us, FaultInterval, period_us);
PIANOLA_SAME(pnl_fault_interval_t, reaction_us, FaultInterval, reaction_us);
static_assert(are_twins<pnl_fault_interval_t>());

PIANOLA_SAME(pnl_settings_t, trust, SessionConfig, trust);
PIANOLA_SAME(pnl_settings_t, release, SessionConfig, release);
PIANOLA_SAME(pnl_settings_t, least_evidence, SessionConfig, least_evidence);
PIANOLA_SAME(pnl_settings_t, interval, SessionConfig, interval);
static_assert(are_twins<pnl_settings_t>());

PIANOLA_SAME(pnl_path_step_t, name, FieldPath::Step, name);
PIANOLA_SAME(pnl_path_step_t, index, FieldPath::Step, index);
static_assert(are_twins<pnl_path_step_t>());

PIANOLA_SAME(pnl_verdict_t, status, Verdict, status);
PIANOLA_SAME(pnl_verdict_t, rule, Verdict, rule);
PIANOLA_SAME(pnl_verdict_t, path, Verdict, path);
PIANOLA_SAME(pnl_verdict_t, private_flow, Verdict, flow);
PIANOLA_SAME(pnl_verdict_t, file_offset, Verdict, file_offset);
PIANOLA_SAME(pnl_verdict_t, actual, Verdict, actual);
PIANOLA_SAME(pnl_verdict_t, limit, Verdict, limit);
static_assert(are_twins<pnl_verdict_t>());

PIANOLA_SAME(pnl_parameter_value_t, index, Session::ParameterValue, index);
PIANOLA_SAME(pnl_parameter_value_t, value, Session::ParameterValue, value);
static_assert(are_twins<pnl_parameter_value_t>());

PIANOLA_SAME(pnl_planned_script_t, first, PlannedScript, first);
PIANOLA_SAME(pnl_planned_script_t, count, PlannedScript, count);
PIANOLA_SAME(pnl_planned_script_t, deadline_us, PlannedScript, deadline_us);
PIANOLA_SAME(pnl_planned_script_t, queues_used, PlannedScript, queues_used);
PIANOLA_SAME(pnl_planned_script_t, cycles, PlannedScript, cycles);
PIANOLA_SAME(pnl_planned_script_t, executed_commands, PlannedScript, executed_commands);

PIANOLA_SAME(pnl_planned_tensor_t, bytes, PlannedTensor, bytes);
PIANOLA_SAME(pnl_planned_tensor_t, devices, PlannedTensor, devices);
PIANOLA_SAME(pnl_planned_tensor_t, piece_bytes, PlannedTensor, piece_bytes);
PIANOLA_SAME(pnl_planned_tensor_t, stride_bytes, PlannedTensor, stride_bytes);

PIANOLA_SAME(pnl_planned_parameter_t, minimum, PlannedParameter, minimum);
PIANOLA_SAME(pnl_planned_parameter_t, maximum, PlannedParameter, maximum);
PIANOLA_SAME(pnl_planned_parameter_t, alignment, PlannedParameter, alignment);
PIANOLA_SAME(pnl_planned_parameter_t, first_point, PlannedParameter, first_point);
PIANOLA_SAME(pnl_planned_parameter_t, point_count, PlannedParameter, point_count);

PIANOLA_SAME(pnl_plan_t, attestation, Plan, attestation);
PIANOLA_SAME(pnl_plan_t, costs, Plan, costs);
PIANOLA_SAME(pnl_plan_t, is_pipelined, Plan, is_pipelined);
PIANOLA_SAME(pnl_plan_t, steps_in_flight, Plan, steps_in_flight);
PIANOLA_SAME(pnl_plan_t, input_count, Plan, input_count);
PIANOLA_SAME(pnl_plan_t, output_count, Plan, output_count);
PIANOLA_SAME(pnl_plan_t, queue_count, Plan, queue_count);
PIANOLA_SAME(pnl_plan_t, device_count, Plan, device_count);
PIANOLA_SAME(pnl_plan_t, trace_region_base, Plan, trace_region_base);
PIANOLA_SAME(pnl_plan_t, region_count, Plan, region_count);
PIANOLA_SAME(pnl_plan_t, parameter_count, Plan, parameter_count);
PIANOLA_SAME(pnl_plan_t, patch_count, Plan, patch_count);
PIANOLA_SAME(pnl_plan_t, step, Plan, step);
PIANOLA_SAME(pnl_plan_t, prologue, Plan, prologue);
PIANOLA_SAME(pnl_plan_t, epilogue, Plan, epilogue);
PIANOLA_SAME(pnl_plan_t, inputs, Plan, inputs);
PIANOLA_SAME(pnl_plan_t, outputs, Plan, outputs);
PIANOLA_SAME(pnl_plan_t, regions, Plan, regions);
PIANOLA_SAME(pnl_plan_t, parameters, Plan, parameters);

// A plan is longer than its twin.
static_assert(sizeof(pnl_plan_t) <= sizeof(Plan));
static_assert(offsetof(pnl_plan_t, views) == offsetof(Plan, views));
static_assert(offsetof(pnl_plan_t, views_tensor) == (offsetof(Plan, views) + offsetof(PlannedViews, tensor)));
static_assert(offsetof(pnl_plan_t, views_command) == (offsetof(Plan, views) + offsetof(PlannedViews, command)));

// Members are private; tests write through one type and read through the other.
static_assert(are_twins<pnl_bytes_t>());
static_assert(are_twins<pnl_memory_t>());
static_assert(are_twins<pnl_extents_t>());
static_assert(are_twins<pnl_path_t>());

// Numbers that pianola.h and pianola_port.h repeat.
static_assert(PNL_DIGEST_BYTES == kSha256Bytes);
static_assert(PNL_SIGNATURE_BYTES == kSignatureBytes);
static_assert(PNL_PUBLIC_KEY_BYTES == kPublicKeyBytes);
static_assert(PNL_KEY_ID_BYTES == kKeyIdBytes);
static_assert(PNL_MAX_EXTENTS_PER_COMMAND == kMaxExtentsPerCommand);
static_assert(PNL_MAX_DECODE_STATE_WORDS == kMaxDecodeStateWords);
static_assert(PNL_MAX_COMMAND_WORDS == kMaxCommandWords);
static_assert(PNL_MAX_EVENTS == kMaxEvents);
static_assert(PNL_MAX_CORES == kMaxCores);
static_assert(PNL_MAX_NAME_BYTES == kMaxNameBytes);
static_assert(PNL_WEIGHTS_SLOT == kWeightsSlot);
static_assert(PNL_SOURCE_SLOTS == kSourceSlots);
static_assert(PNL_DESTINATION_SLOTS == kDestinationSlots);
static_assert(PNL_FILE_ALIGNMENT_BYTES == kFileAlignmentBytes);
static_assert(PNL_MAX_INPUTS == kMaxInputs);
static_assert(PNL_MAX_OUTPUTS == kMaxOutputs);
static_assert(PNL_MAX_QUEUES == kMaxQueues);
static_assert(PNL_MAX_REGIONS == kMaxRegions);
static_assert(PNL_MAX_PARAMETERS == kMaxParameters);
static_assert(PNL_MAX_PATH_STEPS == kMaxPathSteps);
static_assert(PNL_NO_INDEX == FieldPath::kNoIndex);
static_assert(PNL_SUBMIT_POLL_STACK_BYTES == kSubmitPollStackBytes);
static_assert(PNL_LOAD_STACK_BYTES == kLoadStackBytes);
static_assert(PNL_MESH_DEVICES == kMaxMeshDevices);
static_assert(PNL_FAULT_RECORDS == kMaxFaultRecords);
static_assert(PNL_STEPS_IN_FLIGHT == kMaxStepsInFlight);
static_assert(PNL_PROFILE == kCapacities.number);

}  // namespace
}  // namespace pianola::c_api
