// Programs of commands: how the work of a launch is divided among invocations, and its operands.
#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/vulkan/kernel_pipelines.h"

namespace pianola::vulkan {
namespace {

using refdev::Kernel;
using refdev::Opcode;

// Above this number of workgroups, invocations have several pieces each. Every device supports this number.
constexpr std::uint32_t kMaxWorkgroups = 65535U;

constexpr std::uint32_t kInvocationsPerWorkgroup = 64U;

[[nodiscard]] std::uint32_t workgroups_for(std::uint64_t invocations) noexcept {
    const std::uint64_t groups = (invocations + (kInvocationsPerWorkgroup - 1U)) / kInvocationsPerWorkgroup;
    if (groups == 0U) {
        return 1U;
    }
    return (groups < kMaxWorkgroups) ? static_cast<std::uint32_t>(groups) : kMaxWorkgroups;
}

// Positions of operands, by the order of their address words. A kernel publishes an operand that is read and written as
// two extents; operands at the same address have one word each.
class Operands {
  public:
    // Bit i of `words`: arguments[i] is an address.
    Operands(WordSpan arguments, std::uint64_t words, Program& program) noexcept : program_{program} {
        for (std::uint32_t i = 0U; i < arguments.size(); ++i) {
            if ((((words >> i) & 1U) != 0U) && (program.operand_count < kMaxOperands)) {
                program.operands[program.operand_count] = Operand{arguments[i], 0U, false, false};
                program.operand_count += 1U;
            }
        }
    }

    // False if the extent belongs to no operand.
    [[nodiscard]] bool place(const Extent& extent) noexcept {
        Operand* found = nullptr;
        for (std::uint32_t i = 0U; i < program_.operand_count; ++i) {
            Operand& operand = program_.operands[i];
            const bool is_free = operand.size_bytes == 0U;
            if ((operand.address == extent.address) && (is_free || is_other_access(operand, extent)) &&
                ((found == nullptr) || (is_free && (found->size_bytes != 0U)))) {
                found = &operand;
            }
        }
        if (found == nullptr) {
            return false;
        }
        found->size_bytes = extent.size_bytes;
        found->is_read = found->is_read || (extent.access == Access::kRead);
        found->is_written = found->is_written || (extent.access == Access::kWrite);
        return true;
    }

  private:
    [[nodiscard]] static bool is_other_access(const Operand& operand, const Extent& extent) noexcept {
        return (operand.size_bytes == extent.size_bytes) &&
               ((extent.access == Access::kRead) ? !operand.is_read : !operand.is_written);
    }

    Program& program_;
};

[[nodiscard]] std::uint64_t pieces_of(const Division& division, WordSpan arguments, const Program& program) noexcept {
    if (division.bytes_per_piece == 0U) {
        const std::uint64_t first = arguments[division.words[0]];
        return first * ((division.words[1] != 0U) ? arguments[division.words[1]] : 1U);
    }
    std::uint64_t written_bytes = 0U;
    for (std::uint32_t i = 0U; i < program.operand_count; ++i) {
        const Operand& operand = program.operands[i];
        if (operand.is_written && (operand.size_bytes > written_bytes)) {
            written_bytes = operand.size_bytes;
        }
    }
    return written_bytes / division.bytes_per_piece;
}

// `kernel_word` is the index of the kernel's id in the command.
Status program_of_kernel(WordSpan command, std::uint32_t kernel_word, Program& program) noexcept {
    const std::uint32_t first = kernel_word + 2U;  // after the id and the cost
    const Kernel* const kernel = (command.size() >= first) ? refdev::find_kernel(command[kernel_word]) : nullptr;
    const Shader* const shader = (kernel != nullptr) ? find_shader(kernel->name) : nullptr;
    if (shader == nullptr) {
        return Status::kRefused;
    }
    const WordSpan arguments = command.subspan(first, command.size() - first);
    ExtentList extents;
    refdev::ArgumentError error;
    if ((arguments.size() != kernel->argument_words) || !is_ok(kernel->describe(arguments, extents, error)) ||
        (error.field[0] != '\0')) {  // an output that overlaps an input, and invocations have no order
        return Status::kRefused;
    }
    program.pipeline = KernelPipelines::number_of(command[kernel_word]);
    program.argument_offset = first;
    Operands operands{arguments, kernel->address_words, program};
    bool is_placed = true;
    for (const Extent& extent : extents.view()) {
        is_placed = operands.place(extent) && is_placed;
    }
    const std::uint64_t pieces = pieces_of(shader->division, arguments, program);
    program.workgroups = workgroups_for(pieces * shader->division.invocations_per_piece);
    return is_placed ? Status::kOk : Status::kInternal;
}

Status program_of_helper(WordSpan command, Helper helper, Program& program) noexcept {
    const bool copies = helper == Helper::kCopy;
    if (command.size() != (copies ? refdev::kCopyWords : refdev::kFillWords)) {
        return Status::kRefused;
    }
    const std::uint32_t size_bytes = copies ? command[3] : command[2];
    if ((size_bytes == 0U) || (!copies && (command[3] > UINT8_MAX))) {
        return Status::kRefused;
    }
    program.pipeline = KernelPipelines::number_of(helper);
    program.argument_offset = 1U;
    program.operand_count = copies ? 2U : 1U;
    program.workgroups = workgroups_for(size_bytes);
    program.operands[0] = Operand{command[1], size_bytes, false, true};
    if (copies) {
        program.operands[1] = Operand{command[2], size_bytes, true, false};
    }
    return Status::kOk;
}

}  // namespace

Status program_of(WordSpan command, Program& program) noexcept {
    program = Program{};
    if (command.empty() || (refdev::length_words_of(command[0]) != command.size())) {
        return Status::kRefused;
    }
    switch (static_cast<Opcode>(command[0] & refdev::kOpcodeMask)) {
        case Opcode::kLaunch:
            return program_of_kernel(command, refdev::kLaunchHeadWords - 2U, program);
        case Opcode::kDispatch:
            return program_of_kernel(command, refdev::kDispatchHeadWords - 2U, program);
        case Opcode::kCopy:
            return program_of_helper(command, Helper::kCopy, program);
        case Opcode::kFill:
            return program_of_helper(command, Helper::kFill, program);
        case Opcode::kInvalid:
        case Opcode::kBarrier:
        case Opcode::kEnd:
        case Opcode::kWrite:
        case Opcode::kRead:
        case Opcode::kReplay:
        case Opcode::kRecordEvent:
        case Opcode::kWaitEvent:
        case Opcode::kNotify:
        default:
            return Status::kRefused;
    }
}

}  // namespace pianola::vulkan
