// FlatDevice: runs what the importer recorded with the kernels alone.
//
// What the linker, the format and the runtime add is not in the way.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "capture_host/capture/recorder.h"
#include "hal/devices/refdev/kernels/kernel.h"

namespace pianola::tflite {

// Every buffer at an address of its own, in one region.
class FlatDevice {
  public:
    explicit FlatDevice(const capture::Recorder& recorder) : recorder_{recorder} {
        for (const capture::Buffer& buffer : recorder.buffers()) {
            offsets_.push_back(storage_.size());
            storage_.insert(storage_.end(), buffer.contents.begin(), buffer.contents.end());
            storage_.resize((offsets_.back() + buffer.size_bytes + 63U) / 64U * 64U, 0xAAU);
        }
        const auto size_bytes = static_cast<std::uint32_t>(storage_.size());
        EXPECT_EQ(memory_.program(refdev::MemoryRegion{kBase, size_bytes, storage_.data(), true, true}), Status::kOk);
    }

    std::uint8_t* bytes(std::size_t buffer) { return storage_.data() + offsets_.at(buffer); }

    // What gives state its first contents.
    void reset() { run(recorder_.resets()); }
    void run() { run(recorder_.launches()); }

  private:
    static constexpr std::uint32_t kBase = 0x1000'0000U;

    void run(const std::vector<capture::Launch>& launches) {
        for (const capture::Launch& launch : launches) {
            if (launch.kind == CommandKind::kCopy) {
                const auto source = static_cast<std::size_t>(launch.operands.at(1U).buffer);
                const auto destination = static_cast<std::size_t>(launch.operands.at(0U).buffer);
                std::copy_n(bytes(source), launch.arguments.at(2U), bytes(destination));
                continue;
            }
            ASSERT_EQ(launch.kind, CommandKind::kLaunch) << launch.label;
            std::vector<std::uint32_t> words = launch.arguments;
            for (const capture::Operand& operand : launch.operands) {
                words.at(operand.word) =
                    kBase + static_cast<std::uint32_t>(offsets_.at(static_cast<std::size_t>(operand.buffer))) +
                    operand.offset_bytes;
            }
            const refdev::Kernel* const kernel = refdev::find_kernel(static_cast<std::uint32_t>(launch.kernel));
            ASSERT_NE(kernel, nullptr) << launch.label;
            expect_extents(*kernel, launch, words);
            ASSERT_EQ(refdev::run(*kernel, WordSpan{words.data(), words.size()}, memory_), Status::kOk) << launch.label;
        }
    }

    // The kernel touches the operands that the importer named in the same way: all of each, but for kernels that move
    // parts.
    void expect_extents(const refdev::Kernel& kernel, const capture::Launch& launch,
                        const std::vector<std::uint32_t>& words) {
        ExtentList extents;
        refdev::ArgumentError error;
        ASSERT_EQ(kernel.describe(WordSpan{words.data(), words.size()}, extents, error), Status::kOk)
            << launch.label << ": " << error.field;
        ASSERT_EQ(extents.view().size(), launch.operands.size()) << launch.label;
        const bool moves_parts =
            (launch.kernel == refdev::KernelId::kView) || (launch.kernel == refdev::KernelId::kGather);
        for (const Extent& extent : extents.view()) {
            const auto matches = [&](const capture::Operand& operand) {
                const std::uint32_t size_bytes = recorder_.buffer(operand.buffer).size_bytes;
                const bool fits = moves_parts ? ((operand.offset_bytes + extent.size_bytes) <= size_bytes)
                                              : (size_bytes == extent.size_bytes);
                return (words.at(operand.word) == extent.address) && (operand.access == extent.access) && fits;
            };
            EXPECT_TRUE(std::any_of(launch.operands.begin(), launch.operands.end(), matches))
                << launch.label << ": " << extent.field;
        }
    }

    const capture::Recorder& recorder_;
    std::vector<std::uint8_t> storage_;
    std::vector<std::size_t> offsets_;
    refdev::DeviceMemory memory_;
};

}  // namespace pianola::tflite
