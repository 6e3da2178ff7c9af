// KernelPipelines: one compute pipeline for each kernel in use, and the binding of trace commands to it.
//
// The build compiles SPIR-V from shaders/<kernel>.comp into the program. A kernel without a shader is refused by name.
//
// A shader receives only locations from the driver. It reads the command's argument words itself, from the bound words
// in device memory, and each operand through a separate buffer whose size is the operand's proved extent. It writes its
// kernel's id, a constant in its code, to the command's mark. The shader `attest` then walks the words and the marks,
// chains digest and number of commands as the reference device does, and writes completion records:
// docs/reference/device.md says what a digest covers.
//
// Descriptor set 0, the same layout for every pipeline, storage buffers only:
//     0      words: the trace, read
//     1      mark: one 32-bit word, written; of `attest`: all marks, read and cleared
//     2...7  operands, in the order of Program::operands; what a command has no operand for is bound to the words
// Push constants: struct PushConstants.
#pragma once

#include <vulkan/vulkan_core.h>

#include <array>
#include <cstdint>

#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/vulkan/context.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola::vulkan {

inline constexpr std::uint32_t kWordsBinding = 0U;
inline constexpr std::uint32_t kMarkBinding = 1U;
inline constexpr std::uint32_t kFirstOperandBinding = 2U;
inline constexpr std::uint32_t kMaxOperands = 6U;
inline constexpr std::uint32_t kBindings = kFirstOperandBinding + kMaxOperands;

// Marks of the commands that are not kernels, above every kernel id.
inline constexpr std::uint32_t kCopyMark = 0x1000U;
inline constexpr std::uint32_t kFillMark = 0x1001U;

// An operand's buffer begins at a multiple of the alignment that buffers have in their memory, before the operand:
// offsets give the number of bytes. Buffers end with their operands.
struct PushConstants {
    std::uint32_t first_word{0U};                       // of the arguments, in the words that are bound
    std::array<std::uint32_t, kMaxOperands> offsets{};  // bytes from the begin of an operand's buffer to the operand
};

// Parameters of `attest`. Its bindings: the trace's words; all marks of the trace; and as operands 0: the queue's ring,
// read, 1: the queue's records, read and written.
struct AttestConstants {
    // Processes queue commands up to the next REPLAY, and then the trace. 0: no trace; processes queue commands up to a
    // NOTIFY, before a REPLAY, or to the limit.
    std::uint32_t trace_words{0U};
    std::uint32_t mark_stride{0U};  // 32-bit words from a command's mark to the next command's
    std::uint32_t ring_words{0U};   // a power of two
    std::uint32_t records{0U};      // that there is room for
};

// The queue's records, as 32-bit words. All are zero after a reset.
inline constexpr std::uint32_t kRecordPosition = 0U;      // in the ring, of the next word that `attest` processes
inline constexpr std::uint32_t kRecordExecuted = 1U;      // commands so far
inline constexpr std::uint32_t kRecordDigest = 2U;        // two words, the lower half first
inline constexpr std::uint32_t kRecordToken = 4U;         // of the last NOTIFY
inline constexpr std::uint32_t kRecordFault = 5U;         // a DeviceFault: the device processes nothing further
inline constexpr std::uint32_t kRecordFaultCommand = 6U;  // executed commands at the fault, including the faulting one
inline constexpr std::uint32_t kRecordSequence = 7U;      // queue commands so far
inline constexpr std::uint32_t kRecordLimit = 8U;         // written by the host: end of its words in the ring
inline constexpr std::uint32_t kRecordHeadWords = 16U;
// Then a record for token % records: token, executed commands, digest.
inline constexpr std::uint32_t kRecordWords = 4U;

struct Operand {
    std::uint32_t address{0U};     // device address
    std::uint32_t size_bytes{0U};  // 0: the command has none
    bool is_read{false};
    bool is_written{false};
};

enum class Helper : std::uint8_t { kCopy, kFill, kAttest };
inline constexpr std::uint32_t kHelpers = 3U;

// The dispatch for a trace command that accesses memory (LAUNCH, DISPATCH, COPY, FILL).
struct Program {
    std::uint32_t pipeline{0U};         // for KernelPipelines::pipeline()
    std::uint32_t argument_offset{0U};  // of the first argument word, in words from the command's header
    std::uint32_t operand_count{0U};
    std::uint32_t workgroups{0U};  // for vkCmdDispatch(workgroups, 1, 1)
    std::array<Operand, kMaxOperands> operands{};
};

// The kernel library gives the command's extents, as in every proof. kOk; kRefused: no such command, or one that its
// kernel refuses. Pure function.
Status program_of(WordSpan command, Program& program) noexcept;

// A launch consists of pieces: the product of up to two argument words, or the written bytes divided by
// `bytes_per_piece`. Shaders check the end of their work themselves: superfluous pieces only cost time.
struct Division {
    std::uint32_t bytes_per_piece{1U};  // 0: pieces come from argument words
    std::array<std::uint32_t, 2> words{};
    std::uint32_t invocations_per_piece{1U};
};

// A source of shaders/, which says how its work is divided.
struct Shader {
    const char* name{nullptr};
    WordSpan code{};  // SPIR-V
    Division division{};
};

// nullptr if there is none of that name. O(shaders).
[[nodiscard]] const Shader* find_shader(const char* name) noexcept;

class KernelPipelines {
  public:
    KernelPipelines() = default;
    KernelPipelines(const KernelPipelines&) = delete;
    KernelPipelines(KernelPipelines&&) = delete;
    KernelPipelines& operator=(const KernelPipelines&) = delete;
    KernelPipelines& operator=(KernelPipelines&&) = delete;
    ~KernelPipelines() { destroy(); }

    // State shared by all pipelines. The context must outlive it. kRefused: a kernel has no shader, and
    // first_without_shader() names it; otherwise as Context::check().
    Status create(Context& context) noexcept;
    // Makes the pipeline if it does not exist yet: making all of them would slow down opening several times. Only while
    // a device is opened or a trace is loaded. kRefused for an invalid number; otherwise as Context::check().
    Status need(std::uint32_t number) noexcept;
    Status need(Helper helper) noexcept { return need(number_of(helper)); }
    void destroy() noexcept;

    // The first kernel of the library without a shader, nullptr if all have one.
    [[nodiscard]] static const char* first_without_shader() noexcept;

    [[nodiscard]] VkDescriptorSetLayout set_layout() const noexcept { return set_layout_; }
    [[nodiscard]] VkPipelineLayout layout() const noexcept { return layout_; }
    // By Program::pipeline. VK_NULL_HANDLE if need() has not made it.
    [[nodiscard]] VkPipeline pipeline(std::uint32_t number) const noexcept {
        return (number < kPipelines) ? pipelines_[number] : VK_NULL_HANDLE;
    }
    [[nodiscard]] VkPipeline pipeline(Helper helper) const noexcept { return pipeline(number_of(helper)); }
    [[nodiscard]] static constexpr std::uint32_t number_of(Helper helper) noexcept {
        return static_cast<std::uint32_t>(helper);
    }
    [[nodiscard]] static constexpr std::uint32_t number_of(std::uint32_t kernel_id) noexcept {
        return kHelpers + kernel_id - 1U;
    }

    // Number of possible pipelines.
    [[nodiscard]] static std::uint32_t count() noexcept;

  private:
    static constexpr std::uint32_t kMostKernels = 64U;
    static constexpr std::uint32_t kPipelines = kHelpers + kMostKernels;

    [[nodiscard]] Status create_layouts() noexcept;

    Context* context_{nullptr};
    VkDescriptorSetLayout set_layout_{VK_NULL_HANDLE};
    VkPipelineLayout layout_{VK_NULL_HANDLE};
    std::array<VkPipeline, kPipelines> pipelines_{};
};

}  // namespace pianola::vulkan
