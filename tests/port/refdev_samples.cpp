#include "tests/port/refdev_samples.h"

#include <cstring>

#include "hal/devices/refdev/costs/cost_model.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"

namespace pianola::port {
namespace {

using refdev::KernelId;
using refdev::Opcode;

// Words one after another.
class Writer {
  public:
    explicit Writer(Span<std::uint32_t> words) noexcept : words_{words} {}

    void add(std::uint32_t word) noexcept {
        if (count_ < words_.size()) {
            words_[count_] = word;
        }
        count_ += 1U;
    }
    void copy(std::uint32_t destination, std::uint32_t source, std::uint32_t bytes) noexcept {
        add(refdev::header_word(Opcode::kCopy, refdev::kCopyWords));
        add(destination);
        add(source);
        add(bytes);
    }
    void fill(std::uint32_t destination, std::uint32_t bytes, std::uint32_t value) noexcept {
        add(refdev::header_word(Opcode::kFill, refdev::kFillWords));
        add(destination);
        add(bytes);
        add(value);
    }
    void barrier() noexcept { add(refdev::header_word(Opcode::kBarrier, 1U)); }
    template <typename Arguments>
    void launch(KernelId id, const Arguments& arguments) noexcept {
        add(refdev::header_word(Opcode::kLaunch, refdev::kLaunchHeadWords + kWords<Arguments>));
        add_kernel(id, arguments);
    }
    template <typename Arguments>
    void dispatch(std::uint32_t core, KernelId id, const Arguments& arguments) noexcept {
        add(refdev::header_word(Opcode::kDispatch, refdev::kDispatchHeadWords + kWords<Arguments>));
        add(core);
        add_kernel(id, arguments);
    }
    [[nodiscard]] std::uint32_t count() const noexcept {
        return (count_ <= words_.size()) ? count_ : static_cast<std::uint32_t>(words_.size()) + 1U;
    }

  private:
    template <typename Arguments>
    static constexpr std::uint32_t kWords = sizeof(Arguments) / sizeof(std::uint32_t);

    template <typename Arguments>
    void add_kernel(KernelId id, const Arguments& arguments) noexcept {
        std::array<std::uint32_t, kWords<Arguments>> words{};
        std::memcpy(words.data(), &arguments, sizeof(arguments));
        ExtentList extents;
        refdev::ArgumentError error;
        const refdev::Kernel* const kernel = refdev::find_kernel(static_cast<std::uint32_t>(id));
        const bool is_described = (kernel != nullptr) && is_ok(kernel->describe(WordSpan{words}, extents, error));
        add(static_cast<std::uint32_t>(id));
        add(is_described ? static_cast<std::uint32_t>(
                               refdev::launch_cost(refdev::kVirtualCosts, *kernel, WordSpan{words}, extents))
                         : UINT32_MAX);
        for (const std::uint32_t word : words) {
            add(word);
        }
    }

    Span<std::uint32_t> words_;
    std::uint32_t count_{0U};
};

}  // namespace

std::uint32_t refdev_sample(void* /*context*/, std::uint32_t index, std::uint32_t base,
                            Span<std::uint32_t> words) noexcept {
    const std::uint32_t first = base;
    const std::uint32_t second = base + 256U;
    const std::uint32_t third = base + 512U;
    const std::uint32_t output = base + 768U;
    Writer writer{words};
    switch (index) {
        case 0U:
            writer.copy(output, first, 64U);
            break;
        case 1U:
            writer.copy(output + 3U, first + 1U, 7U);
            break;
        case 2U:
            writer.fill(output + 1U, 101U, 0x5AU);
            break;
        case 3U:
            writer.launch(KernelId::kCopy, refdev::CopyArguments{first + 3U, output + 1U, 101U});
            break;
        case 4U:
            writer.launch(KernelId::kFill, refdev::FillArguments{output + 4U, 100U, 0x1234'5678U});
            break;
        case 5U:
            writer.launch(KernelId::kUnary, refdev::UnaryArguments{first, output, 77U, refdev::kTypeInt8,
                                                                   refdev::UnaryOp::kAddScalar, 100});
            break;
        case 6U:
            writer.launch(KernelId::kBinary, refdev::BinaryArguments{first + 1U, second + 2U, output + 3U, 61U,
                                                                     refdev::kTypeInt8, refdev::BinaryOp::kAdd});
            break;
        case 7U:
            writer.launch(KernelId::kMatmul,
                          refdev::MatmulArguments{first, second, output, 5U, 9U, 7U, refdev::kTypeInt8, 0U});
            break;
        case 8U:
            writer.launch(KernelId::kReduce, refdev::ReduceArguments{first, output, 9U, 21U, refdev::kTypeInt8,
                                                                     refdev::ReduceOp::kSum, 0U});
            break;
        case 9U:
            writer.launch(KernelId::kGather,
                          refdev::GatherArguments{
                              output, 5U, 3U, {{{first + 1U, 7U, 5U}, {second, 0U, 6U}, {third + 2U, 30U, 8U}, {}}}});
            break;
        case 10U:
            writer.launch(KernelId::kFullyConnected,
                          refdev::FullyConnectedArguments{first, second, third, output, 2U, 9U, 5U, 0, 0, 0, -128, 127,
                                                          refdev::WeightsLayout::kPlain});
            break;
        case 11U:
            writer.dispatch(0U, KernelId::kUnary,
                            refdev::UnaryArguments{first, output, 33U, refdev::kTypeInt8, refdev::UnaryOp::kNegate, 0});
            writer.dispatch(1U, KernelId::kCopy, refdev::CopyArguments{second, output + 64U, 65U});
            writer.barrier();
            break;
        case 12U:
            writer.fill(third, 64U, 0x11U);
            writer.copy(output, third + 8U, 32U);
            writer.barrier();
            writer.copy(first, output + 4U, 16U);
            break;
        case 13U:
            writer.launch(
                KernelId::kView,
                refdev::ViewArguments{first + 1U, output, 3U, {2U, 1U, 3U, 2U, 1U, 4U}, {60, 0, -17, 0, 0, 5}});
            break;
        case 14U:
            writer.launch(KernelId::kTake, refdev::TakeArguments{first, second, output, 2U, 2U, 5U, 6U, 7U});
            break;
        default:
            return 0U;
    }
    return writer.count();
}

bool damage_refdev(refdev::SharedState& shared, Damage damage, std::uint32_t index) noexcept {
    // The first bytes of all three hold what is enforced; a copy follows.
    void* const object = (damage == Damage::kRegion)   ? static_cast<void*>(&shared.memory)
                         : (damage == Damage::kSource) ? static_cast<void*>(&shared.host.sources[index])
                                                       : static_cast<void*>(&shared.host.destinations[index]);
    static_cast<std::uint8_t*>(object)[0] ^= 1U;
    return true;
}

}  // namespace pianola::port
