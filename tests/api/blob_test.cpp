// Traces in blobs: identity, another process, and everything that is damaged or foreign.
#include <map>
#include <string>

#include "hal/devices/refdev/refdev_command_set.h"
#include "pianola/sha256.h"
#include "tests/api/support.h"

namespace pianola::test {
namespace {

using host::BufferPtr;
using host::HostRule;
using host::Memory;
using host::Program;
using host::TraceId;

// A device with a trace that adds 3 by way of L1.
struct Traced {
    explicit Traced(const host::DeviceOptions& options = small_device()) : device{host::open_device(options)} {
        input = device->allocate(flat(300U));
        middle = device->allocate(flat(300U, Memory::kL1));
        output = device->allocate(flat(300U));
        Program first = constant_program(input, middle, 1, "first");
        Program second = constant_program(middle, output, 2, "second program");
        device->compile(first);
        trace = device->begin_trace_capture(0U);
        device->enqueue_program(0U, first);
        device->enqueue_program(0U, second);
        device->end_trace_capture(0U, trace);
    }
    std::shared_ptr<host::Device> device;
    BufferPtr input;
    BufferPtr middle;
    BufferPtr output;
    TraceId trace;
};

TEST(Blobs, SerialiseParseSerialiseIsTheIdentity) {
    const Traced source;
    const host::TraceBlob blob = source.device->collect_trace(source.trace);
    const auto other = host::open_device(small_device());
    const TraceId loaded = other->load_trace(0U, view(blob.bytes));
    const host::TraceBlob again = other->collect_trace(loaded);
    EXPECT_EQ(again.bytes, blob.bytes);
    EXPECT_EQ(again.info.cost_cycles, blob.info.cost_cycles);
    EXPECT_EQ(again.info.programs[1].name, "second program");
    EXPECT_EQ(again.info.programs[1].command_count, blob.info.programs[1].command_count);
}

TEST(Blobs, ALoadedTraceRuns) {
    const Traced source;
    const host::TraceBlob blob = source.device->collect_trace(source.trace);
    const auto device = host::open_device(small_device());
    const BufferPtr input = device->allocate(flat(300U));
    const BufferPtr output = device->allocate(flat(300U));
    const TraceId trace = device->load_trace(0U, view(blob.bytes), {input, output});
    device->expect_input(trace, input);
    const Bytes data = pattern(300U, 5U);
    device->enqueue_write(0U, input, view(data));
    device->execute_trace(0U, trace);
    EXPECT_EQ(read(*device, output), plus(plus(data, 1), 2));
    // Its scratch memory in L1 is its own.
    EXPECT_EQ(device->allocate(flat(64U, Memory::kL1))->address(), 0x10000000U + 320U);
}

TEST(Blobs, InAnEmptyDeviceTheBuffersComeAlong) {
    const Traced source;
    const host::TraceBlob blob =
        source.device->collect_trace(source.trace, {{"input", source.input}, {"output", source.output}});
    const auto device = host::open_device(small_device());
    const TraceId trace = device->load_trace(0U, view(blob.bytes));
    std::map<std::string, BufferPtr> buffers;
    for (const host::NamedBuffer& each : device->trace_buffers(trace)) {
        buffers[each.name] = each.buffer;
    }
    ASSERT_EQ(buffers.count("input") + buffers.count("output"), 2U);
    const Bytes data = pattern(300U, 6U);
    device->enqueue_write(0U, buffers["input"], view(data));
    device->execute_trace(0U, trace);
    EXPECT_EQ(read(*device, buffers["output"]), plus(plus(data, 1), 2));
}

TEST(Blobs, MemoryThatIsTakenIsRefused) {
    const Traced source;
    const host::TraceBlob blob = source.device->collect_trace(source.trace);
    const auto device = host::open_device(small_device());
    const BufferPtr input = device->allocate(flat(300U));
    expect_rule(HostRule::kBlobMemory, "300 bytes", [&] { (void)device->load_trace(0U, view(blob.bytes)); });
    (void)device->load_trace(0U, view(blob.bytes), {input});
    // A device whose trace region begins where the trace has its output.
    host::DeviceOptions options = small_device(1U, 64U);
    expect_rule(HostRule::kTraceRegion, "trace_region_size",
                [&] { (void)host::open_device(options)->load_trace(0U, view(blob.bytes)); });
    options = small_device(1U, (4U << 20U) - (64U * 1024U) - 320U);
    expect_rule(HostRule::kBlobMemory, "no memory for buffers",
                [&] { (void)host::open_device(options)->load_trace(0U, view(blob.bytes)); });
}

TEST(Blobs, OtherDevicesAreNamed) {
    const Traced source;
    const host::TraceBlob blob = source.device->collect_trace(source.trace);
    const auto refused = [&](const std::string& part, const host::DeviceOptions& options) {
        const auto device = host::open_device(options);
        expect_rule(HostRule::kBlobDevice, part, [&] { (void)device->load_trace(0U, view(blob.bytes)); });
    };
    host::DeviceOptions options = small_device();
    options.spec.dram_bytes *= 2U;
    refused("DRAM size", options);
    options = small_device();
    options.spec.l1_base += 0x10000U;
    refused("L1 base", options);
    options = small_device();
    options.spec.grid_columns = 4U;
    refused("grid columns", options);
    options = small_device();
    options.spec.clock_khz = 1000U;
    refused("clock", options);
    refused("queue count", small_device(2U));
    options = small_device();
    options.spec.dram_banks = 8U;
    refused("DRAM banks", options);
}

// Changes a word, and makes the digest right again: what is left is for the other checks to find.
Bytes with_word(Bytes blob, std::size_t word, std::uint32_t value) {
    for (std::size_t i = 0U; i < 4U; ++i) {
        blob.at((word * 4U) + i) = static_cast<std::uint8_t>(value >> (8U * i));
    }
    const Sha256Digest digest = sha256({blob.data(), blob.size() - kSha256Bytes});
    std::copy(digest.begin(), digest.end(), blob.end() - static_cast<std::ptrdiff_t>(digest.size()));
    return blob;
}

std::uint32_t word_at(const Bytes& blob, std::size_t word) {
    return static_cast<std::uint32_t>(blob[word * 4U]) | (static_cast<std::uint32_t>(blob[(word * 4U) + 1U]) << 8U) |
           (static_cast<std::uint32_t>(blob[(word * 4U) + 2U]) << 16U) |
           (static_cast<std::uint32_t>(blob[(word * 4U) + 3U]) << 24U);
}

TEST(Blobs, EveryFlippedByteAndEveryLengthIsRefused) {
    const Traced source;
    const Bytes blob = source.device->collect_trace(source.trace).bytes;
    const auto device = host::open_device(small_device());
    const auto rule_of = [&device](const Bytes& bytes) {
        try {
            (void)device->load_trace(0U, view(bytes));
        } catch (const host::HostError& error) {
            return error.rule();
        }
        return HostRule::kUnspecified;
    };
    EXPECT_EQ(rule_of({}), HostRule::kBlobFormat);
    for (std::size_t i = 0U; i < blob.size(); ++i) {
        Bytes damaged = blob;
        damaged[i] = static_cast<std::uint8_t>(damaged[i] ^ 0x10U);
        EXPECT_EQ(rule_of(damaged), (i < 12U) ? HostRule::kBlobFormat : HostRule::kBlobDigest) << i;
        EXPECT_EQ(rule_of(Bytes{blob.begin(), blob.begin() + static_cast<std::ptrdiff_t>(i)}), HostRule::kBlobFormat)
            << i;
    }
    EXPECT_EQ(device->trace_region_bytes_used(), 0U);
}

// With the digest set right again: the contents are proved, whoever made them.
TEST(Blobs, EveryChangedWordIsRefusedOrHarmless) {
    const Traced source;
    const Bytes blob = source.device->collect_trace(source.trace).bytes;
    const std::size_t words = (blob.size() / 4U) - 8U;
    std::uint32_t loaded = 0U;
    for (std::size_t word = 0U; word < words; word += here_or_on_vulkan(1U, 17U)) {
        for (const std::uint32_t change : {1U, 0x80U, 0x10000U, 0x80000000U}) {
            const auto device = host::open_device(small_device());
            const Bytes damaged = with_word(blob, word, word_at(blob, word) ^ change);
            try {
                const TraceId trace = device->load_trace(0U, view(damaged));
                // A name, a constant that the kernel accepts, what a buffer's bytes are: it must run.
                device->execute_trace(0U, trace, true);
                loaded += 1U;
            } catch (const host::HostError& error) {
                EXPECT_NE(error.rule(), HostRule::kDeviceFault) << word << ' ' << error.what();
            }
        }
    }
    EXPECT_GT(loaded, 0U);
    EXPECT_LT(loaded, 100U);
}

TEST(Blobs, VersionsAndCommandsAreNamed) {
    const Traced source;
    const Bytes blob = source.device->collect_trace(source.trace).bytes;
    const auto device = host::open_device(small_device());
    const auto refused = [&](HostRule rule, const std::string& part, const Bytes& bytes) {
        expect_rule(rule, part, [&] { (void)device->load_trace(0U, view(bytes)); });
    };
    refused(HostRule::kBlobFormat, "layout version 1", with_word(blob, 1U, 1U));
    refused(HostRule::kBlobDevice, "command set is", with_word(blob, 3U, 1U));
    refused(HostRule::kBlobDevice, "command set version is", with_word(blob, 4U, 9U));
    refused(HostRule::kBlobDevice, "kernel library", with_word(blob, 5U, 9U));
    refused(HostRule::kBlobDevice, "device family", with_word(blob, 13U, 9U));
    // Behind 31 words: the number of kernels, and of each id, version, argument words and version of costs.
    constexpr std::size_t kKernels = 31U;
    ASSERT_EQ(word_at(blob, kKernels), 1U);
    const refdev::RefdevCommandSet command_set;
    const KernelIdentity launched = command_set.kernel(word_at(blob, kKernels + 1U));
    EXPECT_EQ(word_at(blob, kKernels + 2U), launched.version);
    for (std::size_t word = kKernels + 1U; word <= (kKernels + 4U); ++word) {
        refused(HostRule::kBlobDevice, "the trace launches kernel", with_word(blob, word, 99U));
    }
    constexpr std::uint32_t kAnother = 1U;
    ASSERT_NE(word_at(blob, kKernels + 1U), kAnother);
    const KernelIdentity another = command_set.kernel(kAnother);
    Bytes unnamed = with_word(blob, kKernels + 1U, kAnother);
    unnamed = with_word(unnamed, kKernels + 2U, another.version);
    unnamed = with_word(unnamed, kKernels + 3U, another.argument_words);
    unnamed = with_word(unnamed, kKernels + 4U, another.cost_version);
    refused(HostRule::kBlobCommand, "a kernel that the blob does not name", unnamed);
    // The words are the last ones; END is in front of the digest.
    const std::size_t end = (blob.size() / 4U) - 9U;
    ASSERT_EQ(word_at(blob, end), 0x0001005AU);
    refused(HostRule::kBlobCommand, "header", with_word(blob, end, 0U));
    refused(HostRule::kBlobCommand, "no end command", with_word(blob, end, 0x0001004DU));
    refused(HostRule::kBlobCommand, "outside the grid", with_word(blob, end - 10U, 5U));  // of the second dispatch
    Bytes longer = blob;
    longer.insert(longer.begin() + static_cast<std::ptrdiff_t>(end * 4U), {0U, 0U, 0U, 0U});
    refused(HostRule::kBlobFormat, "words are behind",
            with_word(longer, 2U, static_cast<std::uint32_t>(longer.size())));
}

}  // namespace
}  // namespace pianola::test
