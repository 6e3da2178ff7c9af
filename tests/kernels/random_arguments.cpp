#include "tests/kernels/random_arguments.h"

#include <cmath>
#include <string_view>

#include "hal/devices/refdev/kernels/argument_words.h"

namespace pianola::refdev {
namespace {

using test::Random;

constexpr std::uint32_t kMostStride = 4U;

// 1 to `most`, each order of magnitude as likely as the others.
std::uint32_t log_uniform(Random& random, std::uint32_t most) {
    constexpr double kWords = 4294967296.0;
    const double number = std::exp(std::log(static_cast<double>(most) + 1.0) * (random.word() / kWords));
    return std::min(std::max(static_cast<std::uint32_t>(number), 1U), most);
}

// Relations between the words of a launch, whose single words are within their ranges already.
class Relations {
  public:
    Relations(Random& random, std::uint32_t most) : random_{random}, sizes_{random, most}, most_{most} {}

    void relate(FullyConnectedArguments& a) {
        sizes_.share({&a.batches, &a.input_depth, &a.output_depth}, kMaxTaps);
        if (random_.one_in(3U)) {
            a.batches = 1U;
        }
        a.filter_offset = random_.one_in(4U) ? a.filter_offset : 0;
        if (a.filter_offset != 0) {
            a.weights_layout = WeightsLayout::kPlain;
        }
    }
    void relate(Conv2dArguments& a) {
        std::uint32_t groups = random_.one_in(4U) ? (1U + random_.below(8U)) : 1U;
        sizes_.share({&a.output_height, &a.output_width, &a.output_channels, &a.filter_channels, &a.filter_height,
                      &a.filter_width, &a.batches},
                     kMaxSpatial);
        relate_window(a);
        if (a.weights_layout != WeightsLayout::kPlain) {
            groups = 1U;
        }
        a.input_channels = a.filter_channels * groups;
        a.output_channels = ((a.output_channels + groups - 1U) / groups) * groups;
    }
    // Half of them in the shape for which variants have tiles.
    void relate(DepthwiseConv2dArguments& a) {
        if (random_.one_in(2U)) {
            relate_tiles(a);
            return;
        }
        sizes_.share({&a.output_height, &a.output_width, &a.input_channels, &a.depth_multiplier, &a.filter_height,
                      &a.filter_width, &a.batches},
                     kMaxSpatial);
        if (!random_.one_in(3U)) {
            a.input_channels *= a.depth_multiplier;  // most layers have a multiplier of 1
            a.depth_multiplier = 1U;
        }
        relate_window(a);
    }
    template <typename Layer>
    void relate(Int16Layer<Layer>& a) {
        relate(a.layer);
        a.sum_bytes = random_.one_in(2U) ? kNarrowSumBytes : kWideSumBytes;
        a.layer.input_offset = 0;
        a.layer.output_offset = 0;
        if constexpr (std::is_same_v<Layer, FullyConnectedArguments>) {
            a.layer.filter_offset = 0;
        }
        if constexpr (!std::is_same_v<Layer, DepthwiseConv2dArguments>) {
            a.layer.weights_layout = WeightsLayout::kPlain;
        }
    }
    void relate(Pool2dArguments& a) {
        sizes_.share({&a.output_height, &a.output_width, &a.channels, &a.filter_height, &a.filter_width, &a.batches},
                     kMaxSpatial);
        a.stride_height = stride();
        a.stride_width = stride();
        a.pad_top = random_.one_in(2U) ? 0U : random_.below(a.filter_height);
        a.pad_left = random_.one_in(2U) ? 0U : random_.below(a.filter_width);
        a.input_height = window_input(a.output_height, a.stride_height, a.filter_height, a.pad_top);
        a.input_width = window_input(a.output_width, a.stride_width, a.filter_width, a.pad_left);
        a.type = byte_or_half();
    }
    void relate(MeanArguments& a) {
        share(a.dims);
        a.type = byte_or_half();
        if (a.type == kTypeInt16) {
            a.input_zero_point = 0;
            a.output_zero_point = 0;
        }
    }
    void relate(AddArguments& a) {
        share(a.dims);
        a.strides1 = strides(a.dims);
        a.strides2 = strides(a.dims);
    }
    void relate(QuantizedBinaryArguments& a) {
        share(a.dims);
        a.strides1 = strides(a.dims);
        a.strides2 = strides(a.dims);
        a.type = byte_or_half();
    }
    void relate(SelectArguments& a) {
        share(a.dims);
        a.condition_strides = strides(a.dims);
        a.strides1 = strides(a.dims);
        a.strides2 = strides(a.dims);
        a.element_bytes = element_bytes();
    }
    void relate(SoftmaxArguments& a) {
        sizes_.share({&a.rows, &a.depth}, kMaxSoftmaxDepth);
        a.output_type = byte_or_half();
    }
    void relate(LogSoftmaxArguments& a) { sizes_.share({&a.rows, &a.depth}, kMaxSoftmaxDepth); }
    void relate(L2NormalizationArguments& a) { sizes_.share({&a.rows, &a.depth}, kMaxNormalizedDepth); }
    void relate(SoftmaxInt16Arguments& a) { sizes_.share({&a.rows, &a.depth}, kMaxSoftmaxInt16Depth); }
    void relate(PadArguments& a) {
        share(a.dims);
        for (std::uint32_t i = 0U; i < a.dims.size(); ++i) {
            a.before.at(i) = padding();
            a.after.at(i) = padding();
        }
    }
    void relate(CopyArguments& a) { a.size_bytes = sizes_.draw(UINT32_MAX); }
    void relate(FillArguments& a) { a.size_bytes = 4U * sizes_.draw(UINT32_MAX); }
    void relate(GatherArguments& a) {
        a.segment_count = 1U + random_.below(kMaxGatherSegments);
        std::uint32_t most = 0U;
        sizes_.share({&a.rows, &most});
        for (std::uint32_t i = 0U; i < kMaxGatherSegments; ++i) {
            GatherSegment& segment = a.segments.at(i);
            if (i >= a.segment_count) {
                segment = {};
                continue;
            }
            segment.bytes = random_.one_in(2U) ? most : (1U + random_.below(most));
            segment.stride_bytes = random_.one_in(4U) ? 0U : (segment.bytes + padding());
        }
    }
    void relate(UnaryArguments& a) {
        a.count = sizes_.draw(UINT32_MAX);
        a.type = byte_or_word();
        if ((a.op != UnaryOp::kAddScalar) && (a.op != UnaryOp::kMulScalar)) {
            a.scalar = 0;
        } else if (a.type == kTypeInt8) {
            a.scalar = static_cast<std::int8_t>(a.scalar);
        }
    }
    void relate(BinaryArguments& a) {
        a.count = sizes_.draw(UINT32_MAX);
        a.type = byte_or_word();
    }
    void relate(MatmulArguments& a) {
        sizes_.share({&a.m, &a.k, &a.n}, kMaxTaps);
        a.type = byte_or_word();
    }
    void relate(MatmulInt16Arguments& a) { sizes_.share({&a.rows, &a.depth, &a.columns}, kMaxTaps); }
    void relate(ReduceArguments& a) {
        sizes_.share({&a.rows, &a.columns});
        a.type = byte_or_word();
    }
    void relate(SemaphoreArguments& /*a*/) {}
    void relate(ViewArguments& a) {
        sizes_.share({&a.element_bytes, &a.dims[0], &a.dims[1], &a.dims[2], &a.dims[3], &a.dims[4], &a.dims[5]});
        if (random_.one_in(2U)) {
            a.element_bytes = 1U << random_.below(4U);
        }
        // A dense input, whose dimensions change places, turn round, or are repeated.
        std::array<std::uint32_t, kViewRank> order{0U, 1U, 2U, 3U, 4U, 5U};
        for (std::uint32_t i = kViewRank; random_.one_in(2U) && (i > 1U); --i) {
            std::swap(order.at(i - 1U), order.at(random_.below(i)));
        }
        auto stride = static_cast<std::int32_t>(a.element_bytes);
        for (std::uint32_t i = kViewRank; i > 0U; --i) {
            const std::uint32_t dimension = order.at(i - 1U);
            const bool is_repeated = random_.one_in(8U);
            a.strides.at(dimension) = is_repeated ? 0 : (random_.one_in(6U) ? -stride : stride);
            stride = is_repeated ? stride : (stride * static_cast<std::int32_t>(a.dims.at(dimension)));
        }
    }
    void relate(TakeArguments& a) {
        sizes_.share({&a.batches, &a.outer, &a.count, &a.entry_bytes});
        a.entries = Sizes{random_, most_}.draw(4096U);
    }
    void relate(LookupArguments& a) {
        a.count = sizes_.draw(UINT32_MAX);
        a.element_bytes = element_bytes();
    }
    void relate(RequantizeArguments& a) { a.count = sizes_.draw(UINT32_MAX); }
    void relate(QuantizeArguments& a) {
        a.count = sizes_.draw(UINT32_MAX);
        a.type = kTypeInt8 + random_.below(3U);
    }
    void relate(DequantizeArguments& a) {
        a.count = sizes_.draw(UINT32_MAX);
        a.type = kTypeInt8 + random_.below(3U);
    }
    void relate(RescaleArguments& a) {
        a.count = sizes_.draw(UINT32_MAX);
        constexpr std::array<std::uint32_t, 3> kTypes{kTypeInt8, kTypeInt16, kTypeInt32};
        a.input_type = kTypes.at(random_.below(3U));
        a.output_type = kTypes.at(random_.below(3U));
        a.input_zero_point = (a.input_type == kTypeInt32) ? 0 : static_cast<std::int8_t>(a.input_zero_point);
        a.output_zero_point = (a.output_type == kTypeInt32) ? 0 : static_cast<std::int8_t>(a.output_zero_point);
    }
    void relate(SvdfFeatureArguments& a) {
        sizes_.share({&a.batches, &a.input_depth, &a.filters, &a.length}, kMaxTaps);
        a.type = byte_or_half();
        a.memory_zero_point = (a.type == kTypeInt8) ? a.memory_zero_point : 0;
    }
    void relate(SvdfTimeArguments& a) {
        sizes_.share({&a.batches, &a.units, &a.rank, &a.length});
        a.type = byte_or_half();
        a.memory_offset = (a.type == kTypeInt8) ? a.memory_offset : 0;
    }
    void relate(LstmArguments& a) {
        std::uint32_t of_weights = 0U;
        sizes_.share({&a.batches, &a.steps, &a.units, &of_weights}, kMaxTaps / 4U);
        a.input_depth = std::max(1U, of_weights / 4U);
        a.type = byte_or_half();
        if (a.type == kTypeInt16) {
            a.input_offset = 0;
            a.hidden_offset = 0;
        }
    }
    void relate(SigmoidInt16Arguments& a) { a.count = sizes_.draw(UINT32_MAX); }

  private:
    [[nodiscard]] std::uint32_t byte_or_half() { return random_.one_in(2U) ? kTypeInt8 : kTypeInt16; }
    [[nodiscard]] std::uint32_t byte_or_word() { return random_.one_in(2U) ? kTypeInt8 : kTypeInt32; }
    [[nodiscard]] std::uint32_t element_bytes() { return 1U << random_.below(3U); }
    [[nodiscard]] std::uint32_t stride() { return random_.one_in(2U) ? 1U : (1U + random_.below(kMostStride)); }
    [[nodiscard]] std::uint32_t padding() { return random_.one_in(2U) ? 0U : random_.below(9U); }
    void share(Dims4& dims) {
        sizes_.share({&dims[0], &dims[1], &dims[2], &dims[3]});
        // The innermost is the longest of most tensors.
        if (random_.one_in(2U)) {
            std::sort(dims.begin(), dims.end());
        }
    }
    // Those of a dense operand, repeated in some dimensions.
    [[nodiscard]] Dims4 strides(const Dims4& dims) {
        Dims4 result{};
        const bool is_repeated = random_.one_in(2U);
        std::uint32_t size = 1U;
        for (std::uint32_t i = 4U; i > 0U; --i) {
            if (!is_repeated || !random_.one_in(2U)) {
                result.at(i - 1U) = size;
                size *= dims.at(i - 1U);
            }
        }
        return result;
    }
    // An input in which the windows lie, give or take some rows; now and then a much smaller or larger one.
    [[nodiscard]] std::uint32_t window_input(std::uint32_t outputs, std::uint32_t step, std::uint32_t window,
                                             std::uint32_t padded) {
        const std::uint32_t reach = ((outputs - 1U) * step) + window;
        std::uint32_t input = (reach > (2U * padded)) ? (reach - (2U * padded)) : 1U;
        if (random_.one_in(3U)) {
            input += random_.below(4U);
        } else if (random_.one_in(8U)) {
            input = 1U + random_.below(input);
        }
        return std::min(input, kMaxSpatial);
    }
    void relate_tiles(DepthwiseConv2dArguments& a) {
        constexpr std::uint32_t kEdge = 3U;
        sizes_.share({&a.output_height, &a.output_width, &a.input_channels, &a.batches}, kMaxSpatial);
        a.depth_multiplier = 1U;
        for (std::uint32_t* const word : {&a.stride_height, &a.stride_width, &a.dilation_height, &a.dilation_width}) {
            *word = 1U;
        }
        a.filter_height = kEdge;
        a.filter_width = kEdge;
        a.pad_top = random_.below(kEdge);
        a.pad_left = random_.below(kEdge);
        a.input_height = window_input(a.output_height, 1U, kEdge, a.pad_top);
        a.input_width = window_input(a.output_width, 1U, kEdge, a.pad_left);
    }
    template <typename Layer>
    void relate_window(Layer& a) {
        if (random_.one_in(4U)) {
            a.filter_height = 1U;
            a.filter_width = 1U;
        }
        a.stride_height = stride();
        a.stride_width = stride();
        a.dilation_height = random_.one_in(6U) ? (1U + random_.below(3U)) : 1U;
        a.dilation_width = random_.one_in(6U) ? (1U + random_.below(3U)) : 1U;
        const std::uint32_t rows = ((a.filter_height - 1U) * a.dilation_height) + 1U;
        const std::uint32_t columns = ((a.filter_width - 1U) * a.dilation_width) + 1U;
        a.pad_top = random_.one_in(2U) ? (rows / 2U) : random_.below(rows);
        a.pad_left = random_.one_in(2U) ? (columns / 2U) : random_.below(columns);
        a.input_height = window_input(a.output_height, a.stride_height, rows, a.pad_top);
        a.input_width = window_input(a.output_width, a.stride_width, columns, a.pad_left);
        // Padding that no converter makes: windows, or all of them, outside of the input.
        if (random_.one_in(6U)) {
            std::uint32_t& pad = random_.one_in(2U) ? a.pad_top : a.pad_left;
            pad = random_.below(random_.one_in(2U) ? kMaxSpatial : (2U * std::max(rows, columns)));
        }
    }

    Random& random_;
    Sizes sizes_;
    std::uint32_t most_;
};

bool is_in(const ArgumentRule& rule, std::uint32_t word) {
    return (word - rule.lowest) <= rule.span;
}

std::uint32_t scale_bits(Random& random) {
    constexpr std::uint32_t kOne = 0x3F80'0000U;
    return kOne - (random.below(12U) << 23U) + random.below(1U << 23U);
}

// A word of its range: typical ones, extremes, 0, and any.
std::uint32_t random_word(const ArgumentRule& rule, Random& random) {
    const std::string_view name{rule.field};
    const auto ends_with = [name](std::string_view end) {
        return (name.size() >= end.size()) && (name.substr(name.size() - end.size()) == end);
    };
    const bool is_typical = !random.one_in(3U);
    std::uint32_t word = random.word();
    if (is_typical && ends_with("multiplier")) {
        word = 0x4000'0000U + (word % 0x4000'0000U);
    } else if (is_typical && ends_with("shift")) {
        word = 0U - (word % 14U);
    } else if (is_typical && (name == "scale")) {
        word = scale_bits(random);
    } else if (is_typical && (rule.span != UINT32_MAX)) {
        word = rule.lowest + (word % (rule.span + 1U));
    } else {
        const std::array<std::uint32_t, 5> edges{rule.lowest, rule.lowest + rule.span, 0U, 1U, word % 64U};
        word = edges.at(random.below(5U));
    }
    if (!is_in(rule, word)) {
        word = (rule.span == UINT32_MAX) ? word : (rule.lowest + (random.word() % (rule.span + 1U)));
    }
    return word;
}

// Activation bounds of a launch whose elements have that range.
void random_activation(std::int32_t& lowest, std::int32_t& highest, std::int32_t first, std::int32_t last,
                       Random& random) {
    lowest = first;
    highest = last;
    if (random.one_in(3U)) {
        const auto any = [first, last, &random] {
            const auto span = static_cast<std::uint64_t>(std::int64_t{last} - first) + 1U;
            return static_cast<std::int32_t>(first + static_cast<std::int64_t>(random.word() % span));
        };
        lowest = any();
        highest = any();
        if (lowest > highest) {
            std::swap(lowest, highest);
        }
    }
}

// Within a type.
template <typename Arguments>
void random_activation_of(Arguments& a, std::uint32_t type, Random& random) {
    const bool is_byte = type == kTypeInt8;
    const bool is_half = type == kTypeInt16;
    random_activation(a.activation_min, a.activation_max, is_byte ? INT8_MIN : (is_half ? INT16_MIN : INT32_MIN),
                      is_byte ? INT8_MAX : (is_half ? INT16_MAX : INT32_MAX), random);
}

template <typename Arguments>
void relate_activation(Arguments& /*a*/, Random& /*random*/) {}
void relate_activation(FullyConnectedArguments& a, Random& random) {
    random_activation_of(a, kTypeInt8, random);
}
void relate_activation(Conv2dArguments& a, Random& random) {
    random_activation_of(a, kTypeInt8, random);
}
void relate_activation(DepthwiseConv2dArguments& a, Random& random) {
    random_activation_of(a, kTypeInt8, random);
}
void relate_activation(AddArguments& a, Random& random) {
    random_activation_of(a, kTypeInt8, random);
}
void relate_activation(Pool2dArguments& a, Random& random) {
    random_activation_of(a, a.type, random);
}
void relate_activation(QuantizedBinaryArguments& a, Random& random) {
    random_activation_of(a, a.type, random);
}
void relate_activation(RescaleArguments& a, Random& random) {
    random_activation_of(a, a.output_type, random);
}
template <typename Layer>
void relate_activation(Int16Layer<Layer>& a, Random& random) {
    random_activation_of(a.layer, kTypeInt16, random);
}

// Any words, each in its range, and relations on top.
template <typename Arguments>
Words draw(Random& random, std::uint32_t most) {
    Words words;
    std::uint32_t address = 0U;
    for (const ArgumentWord& word : kWords<Arguments>) {
        if (word.role == ArgumentRole::kAddress) {
            address += kApartBytes;
            words.push_back(address);
        } else {
            words.push_back(random_word(word.rule, random));
        }
    }
    auto arguments = arguments_from_words<Arguments>(span_of(words));
    Relations{random, most}.relate(arguments);
    relate_activation(arguments, random);
    return words_of(arguments);
}

struct Drawer {
    Words (*draw)(Random& random, std::uint32_t most);
    std::vector<ArgumentRule> rules;
};

template <typename Arguments>
std::vector<ArgumentRule> rules() {
    return {kRules<Arguments>.begin(), kRules<Arguments>.end()};
}

const Drawer& drawer(const Kernel& kernel) {
    static const std::vector<Drawer> kDrawers{
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): DEV-004
#define PIANOLA_KERNEL(id, enumerator, name, version, arguments, describe, work, compute) \
    Drawer{draw<arguments>, rules<arguments>()},
#include "hal/devices/refdev/kernels/kernels.inc"  // NOLINT(misra-text-19.0.3): DEV-004
#undef PIANOLA_KERNEL
    };
    return kDrawers.at(static_cast<std::size_t>(kernel.id) - 1U);
}

}  // namespace

Sizes::Sizes(test::Random& random, std::uint32_t most) : random_{random}, left_{log_uniform(random, most)} {}

std::uint32_t Sizes::draw(std::uint32_t most) {
    const std::uint32_t limit = std::min(most, left_);
    std::uint32_t size = log_uniform(random_, limit);
    if (random_.one_in(2U)) {
        const std::uint32_t unit = 4U << random_.below(3U);
        size = (((size + (unit / 2U)) / unit) * unit) + (random_.below(3U) - 1U);  // 0 wraps: bounded next
    }
    size = (size > limit) ? limit : std::max(size, 1U);
    left_ = std::max(left_ / size, 1U);
    return size;
}

void Sizes::share(std::initializer_list<std::uint32_t*> dimensions, std::uint32_t most) {
    std::vector<std::uint32_t*> order{dimensions};
    for (std::size_t i = order.size(); i > 1U; --i) {
        std::swap(order.at(i - 1U), order.at(random_.below(static_cast<std::uint32_t>(i))));
    }
    for (std::uint32_t* const dimension : order) {
        const bool is_last = dimension == order.back();
        *dimension = (is_last && random_.one_in(2U)) ? std::min(left_, most) : draw(most);
    }
}

std::optional<Words> random_arguments(const Kernel& kernel, test::Random& random, std::uint32_t most_operations) {
    constexpr std::uint32_t kTries = 50U;
    constexpr std::uint32_t kRepairs = 30U;
    const Drawer& of_kernel = drawer(kernel);
    for (std::uint32_t i = 0U; i < kTries; ++i) {
        Words words = of_kernel.draw(random, most_operations);
        for (std::uint32_t repair = 0U; repair < kRepairs; ++repair) {
            ExtentList extents;
            ArgumentError error;
            if (is_ok(kernel.describe(span_of(words), extents, error))) {
                return words;
            }
            if (((kernel.address_words >> error.word) & 1U) != 0U) {
                break;  // too large
            }
            words.at(error.word) = random_word(of_kernel.rules.at(error.word), random);
        }
    }
    return std::nullopt;
}

const char* argument_name(const Kernel& kernel, std::size_t word) {
    return drawer(kernel).rules.at(word).field;
}

}  // namespace pianola::refdev
