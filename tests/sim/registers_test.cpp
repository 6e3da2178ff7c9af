// Registers of the reference device that lie in plain memory: one that damage has changed opens nothing, and moves
// nothing.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "hal/devices/refdev/kernels/device_memory.h"
#include "hal/devices/refdev/queue_memory.h"
#include "pianola/span.h"
#include "pianola/status.h"

namespace pianola::refdev {
namespace {

// Calls check(object, bit) for every single-bit change of `object`.
template <typename Object, typename Check>
void for_every_flip(const Object& object, const Check& check) {
    static_assert(std::is_trivially_copyable_v<Object>);
    constexpr std::size_t kBits = sizeof(Object) * 8U;
    for (std::size_t bit = 0U; bit < kBits; ++bit) {
        std::vector<std::uint8_t> bytes(sizeof(Object));
        std::memcpy(bytes.data(), &object, sizeof(Object));
        bytes[bit / 8U] = static_cast<std::uint8_t>(bytes[bit / 8U] ^ (1U << (bit % 8U)));
        Object damaged = object;
        std::memcpy(&damaged, bytes.data(), sizeof(Object));
        check(damaged, bit);
    }
}

TEST(Registers, ADamagedRegionPermitsNothing) {
    constexpr std::uint32_t kBytes = 64U;
    constexpr std::uint32_t kFirst = 0x1000'0000U;
    constexpr std::uint32_t kSecond = 0x2000'0000U;
    std::array<std::uint8_t, kBytes> first{};
    std::array<std::uint8_t, kBytes> second{};
    DeviceMemory memory;
    ASSERT_EQ(memory.program({kFirst, kBytes, first.data(), true, false, false, true, false}), Status::kOk);
    ASSERT_EQ(memory.program({kSecond, kBytes, second.data(), true, true, true, true, true}), Status::kOk);
    constexpr std::uint32_t kInside = 8U;
    std::uint32_t refused = 0U;
    for_every_flip(memory, [&](const DeviceMemory& damaged, std::size_t bit) {
        const std::uint8_t* const in_first = damaged.readable(kFirst + kInside, kInside);
        const std::uint8_t* const in_second = damaged.writable(kSecond + kInside, kInside);
        EXPECT_TRUE((in_first == nullptr) || (in_first == &first[kInside])) << bit;
        EXPECT_TRUE((in_second == nullptr) || (in_second == &second[kInside])) << bit;
        EXPECT_EQ(damaged.writable(kFirst + kInside, kInside), nullptr) << bit;
        EXPECT_EQ(damaged.fetchable(kFirst + kInside, kInside), nullptr) << bit;
        EXPECT_EQ(damaged.readable(0U, 1U), nullptr) << bit;
        refused += ((in_first == nullptr) || (in_second == nullptr)) ? 1U : 0U;
    });
    // Base, size, permissions and place of two regions, twice; a count that is smaller hides one.
    constexpr std::size_t kRegisterBits = 96U + (8U * sizeof(void*));
    EXPECT_GE(refused, kRegisterBits * 4U);
}

TEST(Registers, ADamagedBindingHasNoMemory) {
    std::array<std::uint8_t, 64U> bytes{};
    HostBinding<MutableByteSpan> binding;
    binding.bind(bytes);
    ASSERT_EQ(binding.memory().data(), bytes.data());
    ASSERT_TRUE(binding.is_whole());
    for_every_flip(binding, [](const HostBinding<MutableByteSpan>& damaged, std::size_t bit) {
        EXPECT_FALSE(damaged.is_whole()) << bit;
        EXPECT_TRUE(damaged.memory().empty()) << bit;
    });
}

}  // namespace
}  // namespace pianola::refdev
