// Buffers: layouts against an independent model of the memory map, loops of writes and reads, scopes, addresses.
#include <set>

#include "hal/devices/refdev/sim/sim_device.h"
#include "tests/api/support.h"

namespace pianola::test {
namespace {

using host::CoreCoord;
using host::Device;
using host::HostRule;
using host::Layout;
using host::Memory;

std::uint8_t byte_at(Device& device, std::uint32_t address) {
    return device.simulator().device().host_view(address, 1U)[0];
}

host::CoreRangeSet four_cores() {
    return {{CoreCoord{0U, 0U}, CoreCoord{1U, 1U}}};
}

struct LayoutCase {
    std::string name;
    host::BufferConfig config;
};

std::vector<LayoutCase> cases() {
    host::BufferConfig pages = flat(0U, Memory::kL1);
    pages.rows = 10U;
    pages.row_bytes = 96U;
    pages.page_bytes = 32U;
    host::BufferConfig rows = pages;
    rows.page_bytes = 192U;
    return {
        {"DramInterleaved", flat(5000U)},
        {"L1InterleavedParts", pages},
        {"L1InterleavedRows", rows},
        {"L1Height", sharded(Layout::kHeightSharded, Memory::kL1, 10U, 32U, 3U, 32U, four_cores())},
        {"L1Width", sharded(Layout::kWidthSharded, Memory::kL1, 10U, 30U, 10U, 8U, four_cores())},
        {"L1Block", sharded(Layout::kBlockSharded, Memory::kL1, 10U, 30U, 6U, 16U, four_cores())},
        {"DramHeight", sharded(Layout::kHeightSharded, Memory::kDram, 100U, 33U, 30U, 33U)},
        {"DramWidth", sharded(Layout::kWidthSharded, Memory::kDram, 20U, 40U, 20U, 16U)},
        {"DramBlock", sharded(Layout::kBlockSharded, Memory::kDram, 20U, 40U, 7U, 11U)},
    };
}

class Layouts : public testing::TestWithParam<LayoutCase> {};

TEST_P(Layouts, WhatIsWrittenIsReadManyTimesAndInThreads) {
    for (const bool threaded : {false, true}) {
        host::DeviceOptions options = small_device(2U);
        options.threaded = threaded;
        const auto device = host::open_device(options);
        const host::BufferPtr other = device->allocate(flat(100U));
        const host::BufferPtr buffer = device->allocate(GetParam().config);
        for (std::uint32_t i = 0U; i < 20U; ++i) {
            const Bytes data = pattern(buffer->size_bytes(), i);
            device->enqueue_write(i % 2U, buffer, view(data), (i % 3U) == 0U);
            EXPECT_EQ(read(*device, buffer, i % 2U), data) << i;
        }
    }
}

TEST_P(Layouts, PiecesCoverEveryByteOnceAndStayInsideTheirShards) {
    const auto device = host::open_device(small_device());
    const host::BufferPtr buffer = device->allocate(GetParam().config);
    const std::uint64_t row_bytes = buffer->config().row_bytes;
    std::vector<int> covered(buffer->size_bytes(), 0);
    std::set<std::uint32_t> addresses;
    for (const host::Piece& piece : buffer->pieces()) {
        ASSERT_EQ(piece.bytes, piece.rows * piece.column_bytes);
        for (std::uint64_t row = 0U; row < piece.rows; ++row) {
            for (std::uint64_t column = 0U; column < piece.column_bytes; ++column) {
                covered.at(((piece.row_begin + row) * row_bytes) + piece.column_begin_bytes + column) += 1;
                addresses.insert(
                    static_cast<std::uint32_t>(piece.device_address + (row * piece.column_bytes) + column));
            }
        }
    }
    EXPECT_TRUE(std::all_of(covered.begin(), covered.end(), [](int times) { return times == 1; }));
    EXPECT_EQ(addresses.size(), buffer->size_bytes());
    // The same bytes, in the host's order.
    std::size_t host = 0U;
    const Bytes data = pattern(buffer->size_bytes(), 7U);
    device->enqueue_write(0U, buffer, view(data), true);
    for (const host::AddressRange& run : buffer->host_runs()) {
        for (std::uint32_t i = 0U; i < run.bytes; ++i) {
            ASSERT_EQ(byte_at(*device, run.address + i), data.at(host)) << host;
            ++host;
        }
    }
    EXPECT_EQ(host, data.size());
}

INSTANTIATE_TEST_SUITE_P(All, Layouts, testing::ValuesIn(cases()), [](const auto& entry) { return entry.param.name; });

TEST(Buffers, InterleavedPagesGoRoundTheCores) {
    const auto device = host::open_device(small_device());
    const std::uint32_t share = 64U * 1024U;  // 256 KiB for 2 x 2 cores
    host::BufferConfig config = flat(0U, Memory::kL1);
    config.rows = 6U;
    config.row_bytes = 64U;
    const host::BufferPtr buffer = device->allocate(config);
    Bytes data(config.rows * config.row_bytes);
    for (std::size_t i = 0U; i < data.size(); ++i) {
        data[i] = static_cast<std::uint8_t>(i / 64U);
    }
    device->enqueue_write(0U, buffer, view(data), true);
    // Page p on core p % 4 at slot p / 4.
    for (std::uint32_t page = 0U; page < 6U; ++page) {
        const std::uint32_t address = 0x10000000U + ((page % 4U) * share) + ((page / 4U) * 64U);
        EXPECT_EQ(byte_at(*device, address), page);
        EXPECT_EQ(byte_at(*device, address + 63U), page);
    }
}

TEST(Buffers, HeightShardsLieAtOneOffsetOnTheirCores) {
    const auto device = host::open_device(small_device());
    const host::BufferPtr first = device->allocate(flat(64U, Memory::kL1));
    const host::BufferPtr buffer =
        device->allocate(sharded(Layout::kHeightSharded, Memory::kL1, 8U, 16U, 2U, 16U, four_cores()));
    ASSERT_EQ(buffer->shard_count(), 4U);
    for (std::uint32_t i = 0U; i < 4U; ++i) {
        EXPECT_EQ(buffer->shard_address(i), 0x10000000U + (i * 65536U) + 64U);
        EXPECT_EQ(*buffer->shard_core(i), (CoreCoord{i % 2U, i / 2U}));
        EXPECT_EQ(buffer->shard_bytes(i), 32U);
    }
    EXPECT_EQ(*buffer->shard_on({1U, 1U}), 3U);
}

TEST(Buffers, DramShardsStartInConsecutiveBanks) {
    const auto device = host::open_device(small_device());
    const host::BufferPtr first = device->allocate(flat(10U));
    const host::BufferPtr buffer = device->allocate(sharded(Layout::kHeightSharded, Memory::kDram, 8U, 300U, 2U, 300U));
    for (std::uint32_t i = 0U; i < 4U; ++i) {
        EXPECT_EQ(buffer->shard_address(i), 0x80000000U + 1024U + (i * 1024U));  // 600 bytes each
    }
}

TEST(Buffers, AHundredScopedBuffersLeaveNothingBehind) {
    const auto device = host::open_device(small_device());
    std::set<std::uint64_t> ids;
    std::uint32_t address = 0U;
    for (std::uint32_t i = 0U; i < 100U; ++i) {
        const host::BufferPtr dram = device->allocate(flat(100'000U));
        const host::BufferPtr l1 = device->allocate(flat(1000U, Memory::kL1));
        EXPECT_TRUE(ids.insert(dram->id().value).second);
        EXPECT_TRUE(ids.insert(l1->id().value).second);
        if (i != 0U) {
            EXPECT_EQ(dram->address(), address);  // the same calls, the same address
        }
        address = dram->address();
    }
    EXPECT_EQ(device->memory_report().dram.allocations, 0U);
    EXPECT_EQ(device->memory_report().l1.used_bytes, 0U);
}

TEST(Buffers, FirstFitTakesTheLowestGap) {
    const auto device = host::open_device(small_device());
    const host::BufferPtr a = device->allocate(flat(1000U));
    host::BufferPtr b = device->allocate(flat(2000U));
    const host::BufferPtr c = device->allocate(flat(64U));
    EXPECT_EQ(a->address(), 0x80000000U);
    EXPECT_EQ(b->address(), 0x80000000U + 1024U);
    EXPECT_EQ(c->address(), 0x80000000U + 1024U + 2048U);
    device->deallocate(b);
    EXPECT_FALSE(b->is_allocated());
    const host::BufferPtr large = device->allocate(flat(2049U));
    EXPECT_EQ(large->address(), c->address() + 64U);
    const host::BufferPtr fits = device->allocate(flat(2048U));
    EXPECT_EQ(fits->address(), 0x80000000U + 1024U);
    EXPECT_NE(fits->id(), b->id());
    b.reset();  // frees nothing twice
    EXPECT_EQ(device->memory_report().dram.allocations, 4U);
}

TEST(Buffers, MemoryReport) {
    const auto device = host::open_device(small_device(2U, 4096U));
    const std::uint64_t data = (4U << 20U) - 4096U - (2U * 65536U);
    const host::BufferPtr buffer = device->allocate(flat(100U));
    const host::MemoryReport report = device->memory_report();
    EXPECT_EQ(report.dram.total_bytes, data);
    EXPECT_EQ(report.dram.used_bytes, 128U);
    EXPECT_EQ(report.dram.largest_free_bytes, data - 128U);
    EXPECT_EQ(report.l1.total_bytes, 65536U);
    EXPECT_EQ(report.trace_region.total_bytes, 4096U);
}

TEST(Buffers, TransfersLargerThanTheStagingArena) {
    host::DeviceOptions options = small_device(2U);
    options.spec.dram_bytes = 32U << 20U;
    for (const bool threaded : {false, true}) {
        options.threaded = threaded;
        const auto device = host::open_device(options);
        const host::BufferPtr large = device->allocate(flat(9U << 20U));
        const host::BufferPtr small = device->allocate(flat(300'000U));
        std::vector<host::ReadHandle> reads;
        std::vector<Bytes> written;
        for (std::uint32_t i = 0U; i < 12U; ++i) {
            written.push_back(pattern(small->size_bytes(), i));
            device->enqueue_write(0U, small, view(written.back()));
            reads.push_back(device->enqueue_read(0U, small));
        }
        const Bytes data = pattern(large->size_bytes(), 5U);
        device->enqueue_write(0U, large, view(data));
        EXPECT_EQ(read(*device, large), data);
        for (std::size_t i = 0U; i < reads.size(); ++i) {
            EXPECT_TRUE(reads[i].is_ready());
            EXPECT_EQ(reads[i].data(), written[i]) << i;
        }
    }
}

TEST(Buffers, TheCallersMemoryIsFreeAtOnce) {
    host::DeviceOptions options = small_device();
    options.threaded = !options.vulkan.has_value();  // queues that go on by themselves
    const auto device = host::open_device(options);
    const host::BufferPtr buffer = device->allocate(flat(50'000U));
    const Bytes data = pattern(50'000U, 1U);
    Bytes mine = data;
    device->enqueue_write(0U, buffer, view(mine));
    std::fill(mine.begin(), mine.end(), std::uint8_t{0U});
    EXPECT_EQ(read(*device, buffer), data);
}

TEST(Buffers, RefusedConfigurations) {
    const auto device = host::open_device(small_device());
    const auto refused = [&](const host::BufferConfig& config, const std::string& part,
                             HostRule rule = HostRule::kBufferConfig) {
        expect_rule(rule, part, [&] { (void)device->allocate(config); });
    };
    refused(flat(0U), "hold nothing");
    refused(flat(1ULL << 40U), "whole memory");
    host::BufferConfig config = flat(10U);
    config.element_bytes = 4U;
    refused(config, "whole elements");
    config = flat(96U, Memory::kL1);
    config.page_bytes = 40U;
    refused(config, "neither a part nor a multiple");
    config = flat(10U);
    config.layout = Layout::kHeightSharded;
    refused(config, "needs `shard`");
    refused(sharded(Layout::kHeightSharded, Memory::kL1, 10U, 8U, 2U, 8U, four_cores()),
            "5 shards are needed, 4 cores");
    refused(sharded(Layout::kHeightSharded, Memory::kL1, 8U, 8U, 2U, 4U, four_cores()), "have its 8 columns");
    refused(sharded(Layout::kWidthSharded, Memory::kL1, 8U, 8U, 2U, 4U, four_cores()), "have its 8 rows");
    refused(sharded(Layout::kHeightSharded, Memory::kL1, 8U, 8U, 0U, 8U, four_cores()), "no rows");
    refused(sharded(Layout::kHeightSharded, Memory::kDram, 8U, 8U, 2U, 8U, four_cores()), "leave `cores` empty");
    refused(sharded(Layout::kHeightSharded, Memory::kL1, 8U, 8U, 8U, 8U, host::one_core({2U, 0U})), "grid of 2 x 2",
            HostRule::kProgramCores);
    refused(sharded(Layout::kHeightSharded, Memory::kL1, 8U, 8U, 4U, 8U,
                    {{CoreCoord{0U, 0U}, CoreCoord{1U, 0U}}, {CoreCoord{1U, 0U}, CoreCoord{1U, 0U}}}),
            "twice", HostRule::kProgramCores);
    refused(flat(70'000U, Memory::kL1), "70000 bytes does not fit L1", HostRule::kMemoryFull);
}

TEST(Buffers, UseAfterFreeAndStrangers) {
    const auto device = host::open_device(small_device());
    const auto stranger = host::open_device(small_device());
    const host::BufferPtr buffer = device->allocate(flat(16U));
    const host::BufferPtr foreign = stranger->allocate(flat(16U));
    const Bytes data(16U);
    expect_rule(HostRule::kBufferSize, "15 bytes are given",
                [&] { device->enqueue_write(0U, buffer, {data.data(), 15U}); });
    expect_rule(HostRule::kBufferDevice, "another device", [&] { (void)device->enqueue_read(0U, foreign); });
    expect_rule(HostRule::kBufferUnknown, "no buffer", [&] { (void)device->enqueue_read(0U, nullptr); });
    device->deallocate(buffer);
    expect_rule(HostRule::kBufferFreed, "deallocated", [&] { device->enqueue_write(0U, buffer, view(data)); });
    expect_rule(HostRule::kBufferFreed, "deallocated", [&] { (void)device->enqueue_read(0U, buffer); });
    expect_rule(HostRule::kBufferFreed, "deallocated", [&] { device->deallocate(buffer); });
    expect_rule(HostRule::kQueue, "queue 1", [&] { (void)stranger->enqueue_read(1U, foreign); });
}

TEST(Buffers, OutliveTheirDevice) {
    host::BufferPtr buffer;
    host::ReadHandle handle;
    {
        const auto device = host::open_device(small_device());
        buffer = device->allocate(flat(16U));
        device->enqueue_write(0U, buffer, view(Bytes(16U, 9U)));
        handle = device->enqueue_read(0U, buffer);
        device->close();
        EXPECT_FALSE(device->is_open());
        expect_rule(HostRule::kDeviceClosed, "closed", [&] { (void)device->allocate(flat(16U)); });
    }
    EXPECT_FALSE(buffer->is_allocated());
    EXPECT_EQ(handle.data(), Bytes(16U, 9U));
}

}  // namespace
}  // namespace pianola::test
