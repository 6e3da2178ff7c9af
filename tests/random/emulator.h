// Emulator: what a trace binary means, written from docs/reference/format.md and docs/reference/device.md alone.
//
// It shares no code with the runtime, the device or the capture: it reads trace words and weights from the bytes of the
// file, and has arithmetic of its own. Scripts run in program order, one command after the other.
#pragma once

#include "tests/random/program.h"

namespace pianola::programs {

class Emulator {
  public:
    // The file's traces and weights; memory holds `garbage` where set-up writes nothing. lie: sums of bytes are wrong
    // by one.
    Emulator(const Program& program, const Bytes& file, std::uint8_t garbage, bool lie);

    void set_parameter(std::size_t index, std::uint32_t value);
    // Outputs are empty where the script reads none.
    [[nodiscard]] Tensors run(const Script& script, const Tensors& inputs);

  private:
    [[nodiscard]] std::uint8_t* at(std::uint32_t address, std::uint32_t bytes);
    [[nodiscard]] std::int32_t element(std::uint32_t address, std::uint32_t index, std::uint32_t type);
    void store(std::uint32_t address, std::uint32_t index, std::uint32_t type, std::int64_t value);
    void replay(const std::vector<std::uint32_t>& words);
    void launch(std::uint32_t kernel, const std::uint32_t* words);
    void gather(const std::uint32_t* words);
    void matmul(const std::uint32_t* words);
    void reduce(const std::uint32_t* words);

    const Program* program_;
    bool lie_;
    std::array<std::uint8_t, kDramBytes> dram_{};
    std::array<std::uint8_t, kL1Bytes> l1_{};
    std::vector<std::vector<std::uint32_t>> traces_;
};

}  // namespace pianola::programs
