// A launch by a kernel of the library and by its shader, compared.
#pragma once

#include <gtest/gtest.h>

#include "hal/devices/refdev/command_encoding.h"
#include "tests/kernels/launch.h"
#include "tests/vulkan/kernel_rig.h"

namespace pianola::vulkan {

inline refdev::Words launch_command(refdev::KernelId id, const refdev::Words& arguments) {
    refdev::Words command{
        refdev::header_word(refdev::Opcode::kLaunch, static_cast<std::uint32_t>(arguments.size()) + 3U),
        static_cast<std::uint32_t>(id), 0U};
    command.insert(command.end(), arguments.begin(), arguments.end());
    return command;
}

// Byte for byte on all of the device's memory, which the kernel changes.
inline void expect_same(KernelRig& rig, const refdev::Sample& sample, const refdev::Words& words,
                        refdev::SmallDevice& device) {
    const std::vector<std::uint8_t> before = device.bytes();
    const Status status = device.run(sample.id, words);
    const Ran ran = rig.run(launch_command(sample.id, words), before);
    ASSERT_TRUE(is_ok(ran.status));
    // What fails while it runs leaves no mark.
    EXPECT_EQ(ran.mark, is_ok(status) ? static_cast<std::uint32_t>(sample.id) : 0U);
    for (std::size_t i = 0U; i < before.size(); ++i) {
        ASSERT_EQ(ran.bytes.at(i), device.bytes().at(i)) << "byte " << i << ", before " << int{before.at(i)};
    }
}

}  // namespace pianola::vulkan
