// Recorder: collects a static workload, call by call, before it has addresses.
//
// Buffers and launches have separate id types; ids are in order of creation and never reused.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "hal/devices/refdev/kernels/kernel.h"
#include "pianola/command_set.h"
#include "pianola/image.h"

namespace pianola::capture {

enum class BufferId : std::uint32_t {};

enum class BufferRole : std::uint8_t {
    kConstant,    // written once, at set-up; the device reads only
    kActivation,  // lives from its first write to its last read inside a step; shares memory with others
    kInput,       // written by the host in every step; the device reads only
    kOutput,      // written by the device in every step; read by the host
    kState,       // written before the first step, by the device from then on: it outlives steps
};

using ElementType = pianola::ElementType;

// The description of an input or output for users of the binary.
struct TensorInfo {
    std::string name;
    std::vector<std::uint32_t> shape;  // outermost first
    ElementType type{ElementType::kInt8};
    float scale{0.0F};
    std::int32_t zero_point{0};
};

struct Buffer {
    std::string name;
    BufferRole role{BufferRole::kActivation};
    std::uint32_t size_bytes{0U};
    std::vector<std::uint8_t> contents;  // kConstant: size_bytes of them
    TensorInfo tensor;                   // kInput and kOutput
};

// An operand: which argument word holds the address of which byte of which buffer.
struct Operand {
    std::uint32_t word{0U};
    BufferId buffer{};
    std::uint32_t offset_bytes{0U};
    Access access{Access::kUnspecified};
};

// One recorded device command.
struct Launch {
    std::string label;  // the operator it comes from, for people: "3 CONV_2D"
    CommandKind kind{CommandKind::kLaunch};
    refdev::KernelId kernel{refdev::KernelId::kUnspecified};  // kLaunch only
    std::vector<std::uint32_t> arguments;                     // kLaunch: the kernel's; kCopy: {dst, src, size_bytes}
    std::vector<Operand> operands;
};

// How many copies are before, and after, the other launches.
struct StagedCopies {
    std::size_t inputs{0U};
    std::size_t outputs{0U};
};

class Recorder {
  public:
    // Buffers of equal contents are stored once: add_constant may return an earlier id.
    BufferId add_constant(std::string name, std::vector<std::uint8_t> contents);
    BufferId add_activation(std::string name, std::uint32_t size_bytes);
    BufferId add_input(TensorInfo tensor, std::uint32_t size_bytes);
    BufferId add_output(TensorInfo tensor, std::uint32_t size_bytes);
    // `contents` are those before the first step, and after every reset.
    BufferId add_state(std::string name, const std::vector<std::uint8_t>& contents);

    // Launches run in the order of recording.
    void launch(Launch launch);
    // Copies size_bytes from the start of one buffer to the start of another.
    void copy(std::string label, BufferId destination, BufferId source, std::uint32_t size_bytes);

    // Inserts a copy between every input and its readers, and between every output and its writers: computation then
    // touches neither, so that the host can meanwhile write the next inputs and read the last outputs.
    StagedCopies stage_transfers();

    // Calls change(launch) for every launch: it may change words and operands, and add constants.
    void rewrite_launches(const std::function<void(Launch&)>& change);
    // Constants that no launch reads keep their ids and lose their contents.
    void empty_unused_constants();

    void set_source(std::string name,
                    std::array<std::uint8_t, 32> sha256);  // provenance: where the workload comes from

    [[nodiscard]] const std::vector<Buffer>& buffers() const noexcept { return buffers_; }
    [[nodiscard]] const Buffer& buffer(BufferId id) const { return buffers_.at(static_cast<std::size_t>(id)); }
    [[nodiscard]] const std::vector<Launch>& launches() const noexcept { return launches_; }
    // The launches that give state its first contents, before the first step.
    [[nodiscard]] const std::vector<Launch>& resets() const noexcept { return resets_; }
    [[nodiscard]] const std::string& source_name() const noexcept { return source_name_; }
    [[nodiscard]] const std::array<std::uint8_t, 32>& source_sha256() const noexcept { return source_sha256_; }

  private:
    BufferId add(Buffer buffer);
    void check(const Launch& launch) const;
    [[nodiscard]] Launch make_copy(std::string label, BufferId destination, BufferId source,
                                   std::uint32_t size_bytes) const;

    std::vector<Buffer> buffers_;
    std::map<std::vector<std::uint8_t>, BufferId> constants_;  // by contents
    std::vector<Launch> launches_;
    std::vector<Launch> resets_;
    std::string source_name_;
    std::array<std::uint8_t, 32> source_sha256_{};
};

}  // namespace pianola::capture
