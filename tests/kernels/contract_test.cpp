// What the kernels that are not quantised refuse, word by word.
#include <gtest/gtest.h>

#include "tests/kernels/refusals.h"

namespace pianola::refdev {
namespace {

constexpr std::uint32_t kHuge = 0x8000'0000U;

std::vector<Refusal> refusals() {
    const std::vector<std::uint32_t> no_count{0U, kHuge, UINT32_MAX};
    const std::vector<std::uint32_t> no_int32_count{0U, 0x2000'0000U, kHuge, UINT32_MAX};
    const std::vector<std::uint32_t> no_type{0U, 2U, 3U, 5U, 6U, UINT32_MAX};
    const std::vector<std::uint32_t> odd{kBase + 1025U, kBase + 1026U, kBase + 1027U};
    return {
        {KernelId::kCopy, "", 2U, "size_bytes", no_count},
        {KernelId::kCopy, "", 0U, "source", {UINT32_MAX - 99U, UINT32_MAX}},
        {KernelId::kCopy, "", 1U, "destination", {UINT32_MAX - 99U, UINT32_MAX, kBase + 3U, kBase + 103U}},
        {KernelId::kFill, "", 0U, "destination", {kBase + 1U, kBase + 2U, kBase + 3U, UINT32_MAX - 95U}},
        {KernelId::kFill, "", 1U, "size_bytes", {0U, 1U, 2U, 3U, 5U, 0x7FFF'FFFFU, kHuge, UINT32_MAX - 3U}},
        {KernelId::kGather, "", 0U, "destination", {kBase, kBase + 20U, UINT32_MAX - 93U}},
        {KernelId::kGather, "", 1U, "rows", no_count},
        {KernelId::kGather, "", 1U, "destination", {60'000'000U}},
        {KernelId::kGather, "", 2U, "segment_count", {0U, 5U, 8U, UINT32_MAX}},
        {KernelId::kGather, "", 3U, "segments.address", {UINT32_MAX - 31U}},
        {KernelId::kGather, "", 4U, "segments.address", {0x2000'0000U, UINT32_MAX}},
        {KernelId::kGather, "", 5U, "segments.bytes", {0U, kHuge, UINT32_MAX}},
        {KernelId::kGather, "", 9U, "segments.address", {UINT32_MAX - 126U}},
        {KernelId::kGather, "", 11U, "segments.bytes", {0U, kHuge}},
        {KernelId::kGather, "", 12U, "segments.address", {1U, kBase, UINT32_MAX}},
        {KernelId::kGather, "", 13U, "segments.stride_bytes", {1U, UINT32_MAX}},
        {KernelId::kGather, "", 14U, "segments.bytes", {1U, kHuge}},
        {KernelId::kView, "", 0U, "input", {UINT32_MAX - 66U}},
        {KernelId::kView, "", 1U, "output", {kBase, kBase + 68U, kBase - 69U, UINT32_MAX - 68U}},
        {KernelId::kView, "", 2U, "element_bytes", no_count},
        {KernelId::kView, "", 2U, "output", {40'000'000U}},
        {KernelId::kView, "", 3U, "dims", no_count},
        {KernelId::kView, "", 8U, "dims", no_count},
        {KernelId::kView, "", 12U, "input", {0x2000'0000U, 0xE000'0000U, kHuge}},
        {KernelId::kView, "", 6U, "input", {0x7FFF'FFFFU}},
        {KernelId::kTake, "", 0U, "input", {UINT32_MAX - 138U}},
        {KernelId::kTake, "", 1U, "indices", {kBase + 257U, kBase + 258U, UINT32_MAX - 43U}},
        {KernelId::kTake, "", 2U, "output", {kBase, kBase + 139U, kBase + 256U, kBase + 303U}},
        {KernelId::kTake, "", 3U, "batches", no_count},
        {KernelId::kTake, "", 4U, "outer", no_count},
        {KernelId::kTake, "", 5U, "entries", no_count},
        {KernelId::kTake, "", 5U, "input", {0x1000'0000U}},
        {KernelId::kTake, "", 6U, "count", no_count},
        {KernelId::kTake, "", 6U, "indices", {0x7FFF'FFFFU}},
        {KernelId::kTake, "", 7U, "entry_bytes", no_count},
        {KernelId::kUnary, "", 0U, "input", odd},
        {KernelId::kUnary, "", 1U, "output", odd},
        {KernelId::kUnary, "", 2U, "count", no_count},
        {KernelId::kUnary, "", 2U, "input", {0x2000'0000U, 0x7FFF'FFFFU}},
        {KernelId::kUnary, "", 3U, "type", no_type},
        {KernelId::kUnary, "", 4U, "op", {0U, 8U, UINT32_MAX}},
        {KernelId::kUnary, "", 4U, "scalar", {1U, 2U, 3U, 4U, 7U}},
        {KernelId::kUnary, "_int8", 5U, "scalar", {128U, 0xFFFF'FF7FU, kHuge}},
        {KernelId::kBinary, "", 0U, "input1", odd},
        {KernelId::kBinary, "", 1U, "input2", odd},
        {KernelId::kBinary, "", 2U, "output", odd},
        {KernelId::kBinary, "", 3U, "count", no_count},
        {KernelId::kBinary, "", 3U, "input1", {0x2000'0000U, 0x7FFF'FFFFU}},
        {KernelId::kBinary, "", 4U, "type", no_type},
        {KernelId::kBinary, "", 5U, "op", {0U, 7U, UINT32_MAX}},
        {KernelId::kMatmul, "_accumulate", 0U, "a", odd},
        {KernelId::kMatmul, "_accumulate", 1U, "b", odd},
        {KernelId::kMatmul, "_accumulate", 2U, "c", odd},
        {KernelId::kMatmul, "", 2U, "c", odd},
        {KernelId::kMatmul, "", 2U, "c", {kBase, kBase + 256U, kBase + 92U}},
        {KernelId::kMatmul, "", 3U, "m", no_count},
        {KernelId::kMatmul, "", 4U, "k", {0U, 65537U, 0x7FFF'FFFFU, kHuge}},
        {KernelId::kMatmul, "_accumulate", 4U, "k", {0U, kHuge, UINT32_MAX}},
        {KernelId::kMatmul, "_accumulate", 4U, "a", {0x2000'0000U}},
        {KernelId::kMatmul, "", 5U, "n", no_count},
        {KernelId::kMatmul, "", 5U, "b", {0x0800'0000U}},
        {KernelId::kMatmul, "", 6U, "type", no_type},
        {KernelId::kMatmul, "", 7U, "accumulate", {2U, UINT32_MAX}},
        {KernelId::kReduce, "_rows", 0U, "input", odd},
        {KernelId::kReduce, "", 1U, "output", odd},
        {KernelId::kReduce, "", 1U, "output", {kBase, kBase + 188U}},
        {KernelId::kReduce, "", 2U, "rows", no_count},
        {KernelId::kReduce, "", 2U, "input", {0x0800'0000U}},
        {KernelId::kReduce, "", 3U, "columns", no_count},
        {KernelId::kReduce, "", 4U, "type", no_type},
        {KernelId::kReduce, "", 5U, "op", {0U, 6U, UINT32_MAX}},
        {KernelId::kReduce, "", 6U, "axis", {2U, UINT32_MAX}},
        {KernelId::kLookup, "", 2U, "output", {kBase, kBase + 256U, kBase + 100U, UINT32_MAX - 99U}},
        {KernelId::kLookup, "", 1U, "table", {UINT32_MAX - 254U}},
        {KernelId::kLookup, "", 3U, "count", no_count},
        {KernelId::kLookup, "", 4U, "element_bytes", {0U, 3U, 5U, 8U, UINT32_MAX}},
        {KernelId::kLookup, "_pairs", 1U, "table", {kBase + 257U}},
        {KernelId::kLookup, "_pairs", 2U, "output", {kBase + 769U, kBase + 256U}},
        {KernelId::kSelect, "", 1U, "input1", odd},
        {KernelId::kSelect, "", 2U, "input2", odd},
        {KernelId::kSelect, "", 3U, "output", odd},
        {KernelId::kSelect, "", 3U, "output", {kBase, kBase + 260U, kBase + 512U}},
        {KernelId::kSelect, "", 4U, "dims", no_count},
        {KernelId::kSelect, "", 8U, "condition_strides", {1U, 2U, 4U}},
        {KernelId::kSelect, "", 13U, "strides1", {1U, 4U, 6U}},
        {KernelId::kSelect, "", 19U, "strides2", {2U, UINT32_MAX}},
        {KernelId::kSelect, "", 20U, "element_bytes", {0U, 3U, 5U, UINT32_MAX}},
        {KernelId::kSemaphore, "_set", 0U, "address", odd},
        {KernelId::kSemaphore, "_increment", 0U, "address", odd},
        {KernelId::kSemaphore, "_wait", 0U, "address", odd},
        {KernelId::kSemaphore, "_set", 1U, "op", {0U, 4U, UINT32_MAX}},
    };
}

TEST(Contract, EveryWordOutOfItIsRefusedByName) {
    expect_refused(refusals(), plain_launches());
}

TEST(Contract, TheLastGoodValuesAreAccepted) {
    ExtentList extents;
    ArgumentError error;
    for (const auto& [id, variant, word, value] :
         std::vector<std::tuple<KernelId, const char*, std::uint32_t, std::uint32_t>>{
             {KernelId::kMatmul, "", 4U, 65536U},
             {KernelId::kMatmul, "_accumulate", 4U, 65537U},
             {KernelId::kUnary, "_int8", 5U, 127U},
             {KernelId::kUnary, "_int8", 5U, 0xFFFF'FF80U},
             {KernelId::kUnary, "", 5U, kHuge},
             {KernelId::kSemaphore, "_wait", 2U, UINT32_MAX},
             {KernelId::kFill, "", 2U, UINT32_MAX},
             {KernelId::kUnary, "", 1U, kBase},   // in place
             {KernelId::kBinary, "", 2U, kBase},  // in place of either input
             {KernelId::kBinary, "", 2U, kBase + 256U},
         }) {
        Words words = words_of_sample(plain_launches(), id, variant);
        words.at(word) = value;
        // Out of the way of an operand that grows.
        if (id == KernelId::kMatmul) {
            words.at(1U) = 0x4000'0000U;
            words.at(2U) = 0x6000'0000U;
        }
        EXPECT_EQ(kernel(id).describe(span_of(words), extents, error), Status::kOk)
            << kernel(id).name << " " << word << " " << error.field;
    }
}

// 64 cycles, operations / 16, operand bytes / 8; worked out by hand.
TEST(Contract, CostsFollowThePublishedModel) {
    ExtentList extents;
    ArgumentError error;
    for (const auto& [id, variant, cost] : std::vector<std::tuple<KernelId, const char*, std::uint64_t>>{
             {KernelId::kCopy, "", 64U + 26U},                     // 202 bytes
             {KernelId::kFill, "", 64U + 13U},                     // 100 bytes
             {KernelId::kView, "", 64U + 5U + 18U},                // 70 elements, 69 + 70 bytes
             {KernelId::kTake, "", 64U + 2U + 45U},                // 24 pieces, 140 + 48 + 168 bytes
             {KernelId::kUnary, "", 64U + 4U + 50U},               // 50 elements, 400 bytes
             {KernelId::kBinary, "_int8", 64U + 4U + 23U},         // 61 elements, 183 bytes
             {KernelId::kMatmul, "", 64U + 42U + 46U},             // 665 products, 95 + 133 + 140 bytes
             {KernelId::kMatmul, "_accumulate", 64U + 11U + 68U},  // 165 products, 60 + 220 + 132 + 132 bytes
             {KernelId::kReduce, "", 64U + 12U + 35U},             // 189 elements, 189 + 84 bytes
             {KernelId::kLookup, "_pairs", 64U + 5U + 91U},        // 70 elements, 70 + 512 + 140 bytes
             {KernelId::kSelect, "", 64U + 4U + 34U},              // 30 elements, 6 + 120 + 20 + 120 bytes
             {KernelId::kSemaphore, "_increment", 64U + 1U + 1U},  // 8 bytes
         }) {
        ASSERT_EQ(kernel(id).describe(span_of(words_of_sample(plain_launches(), id, variant)), extents, error),
                  Status::kOk);
        EXPECT_EQ(
            launch_cost(kVirtualCosts, kernel(id), span_of(words_of_sample(plain_launches(), id, variant)), extents),
            cost)
            << kernel(id).name << variant;
    }
}

}  // namespace
}  // namespace pianola::refdev
