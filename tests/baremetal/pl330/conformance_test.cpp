// conformance [PREFIX]: the conformance kit for ports on the engine, its driver and the board's platform.
#include "hal/port_kit/conformance.h"

#include "tests/baremetal/board_tests/console_sink.h"
#include "tests/baremetal/pl330/engine_bench.h"

namespace pianola::baremetal {
namespace {

using pl330::Group;
using pl330::Move;

port::Kit& kit() noexcept {
    static port::Kit the_kit;
    return the_kit;
}

constexpr std::uint32_t kOffset = 4096U;  // of the kit's memory in DRAM
constexpr port::Range kMemory{board::kEngineSpec.dram_base + kOffset, port::kMemoryBytes};
// A sample of what lies around: all memory would take an emulator minutes.
constexpr std::array<port::Range, 3U> kWatched{{{board::kEngineSpec.dram_base, kOffset},
                                                {kMemory.base + kMemory.size_bytes, 1024U},
                                                {board::kEngineSpec.l1_base, 1024U}}};
constexpr std::array<std::uint32_t, 1U> kEnd{pl330::kEnd};

// What this engine, and this board, do not have: docs/reference/pl330.md. What is not attested the kit leaves out by
// itself.
constexpr std::array<const char*, 4U> kNotOffered{"PORT-REGION-KERNEL-READ", "PORT-REGION-KERNEL-WRITE",
                                                  "PORT-REGION-ALL", "PORT-COUNTER-RAISE"};

class Writer {
  public:
    explicit Writer(Span<std::uint32_t> words) noexcept : words_{words} {}
    void add(const Group& group) noexcept {
        for (std::uint32_t i = 0U; i < group.count; ++i) {
            add(group.words[i]);
        }
    }
    void add(std::uint32_t word) noexcept {
        if (count_ < words_.size()) {
            words_[count_] = word;
            count_ += 1U;
        }
    }
    [[nodiscard]] std::uint32_t count() const noexcept { return count_; }

  private:
    Span<std::uint32_t> words_;
    std::uint32_t count_{0U};
};

// source, destination, shift of a burst's bytes, inner and outer loop, whether the source increments.
std::uint32_t sample(void* /*context*/, std::uint32_t index, std::uint32_t base, Span<std::uint32_t> words) noexcept {
    constexpr std::uint32_t kLongest = 1U << pl330::kMaxBurstShift;
    const std::uint32_t aligned = (base + (kLongest - 1U)) & ~(kLongest - 1U);
    Writer writer{words};
    switch (index) {
        case 0U:  // the longest bursts
            writer.add(encode_copy(Move{aligned, aligned + 512U, pl330::kMaxBurstShift, 3U, 1U, true}));
            break;
        case 1U:  // odd addresses, odd size
            writer.add(encode_copy(Move{base + 1U, base + 515U, 0U, 7U, 1U, true}));
            break;
        case 2U:  // both loops
            writer.add(encode_copy(Move{base + 4U, base + 516U, 2U, 5U, 11U, true}));
            break;
        case 3U:  // backward in memory, bursts of 16 bytes
            writer.add(encode_copy(Move{base + 768U, base + 16U, 4U, 9U, 1U, true}));
            break;
        case 4U:  // from a constant, beats of 8 bytes
            writer.add(encode_copy(Move{base + 8U, base + 256U, 5U, 6U, 2U, false}));
            break;
        case 5U:  // from a constant of one byte
            writer.add(encode_copy(Move{base + 3U, base + 701U, 0U, 101U, 1U, false}));
            break;
        case 6U:
            writer.add(encode_zeros(Move{0U, base + 128U, 6U, 3U, 2U, false}));
            break;
        case 7U:
            writer.add(encode_zeros(Move{0U, base + 33U, 0U, 1U, 1U, false}));
            break;
        case 8U:  // what is filled is copied, and what was copied once more
            writer.add(encode_zeros(Move{0U, base + 256U, 3U, 8U, 1U, false}));
            writer.add(encode_copy(Move{base + 264U, base + 512U, 3U, 4U, 1U, true}));
            writer.add(pl330::kBarrier);
            writer.add(encode_copy(Move{base + 516U, base, 2U, 4U, 1U, true}));
            break;
        default:
            break;
    }
    return writer.count();
}

}  // namespace

std::int32_t test_engine_conformance(const Arguments& arguments) noexcept {
    EngineBench& bench = engine_bench();
    port::PortUnderTest under_test{bench.device, bench.platform, bench.command_set, kMemory, sample, WordSpan{kEnd}};
    under_test.watched = Span<const port::Range>{kWatched};
    under_test.not_offered = Span<const char* const>{kNotOffered};
    under_test.safe_state_entries = [](void* /*context*/) noexcept {
        return engine_bench().platform.safe_state_entries();
    };
    under_test.watchdog_services = [](void* /*context*/) noexcept {
        return engine_bench().platform.watchdog_services();
    };
    ConsoleSink sink;
    const char* const prefix = (arguments.count() > 1U) ? arguments.at(1U) : "";
    return run_conformance(under_test, kit(), sink, prefix).conforms() ? kPassed : kFailed;
}

}  // namespace pianola::baremetal
