#include "docs/examples/road_signs/sample.h"

#include <flatbuffers/flatbuffers.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tflite_subset_generated.h"

namespace pianola::sample {
namespace {

namespace format = pianola::tflite::format;

Sample make_tiny(std::uint64_t seed) {
    TrainingPlan plan;
    plan.seed = seed;
    plan.steps = 6U;
    plan.batch = 4U;
    return make_sample(plan, [](const Progress&) {});
}

// FNV-1a, 64 bits.
std::uint64_t hash_of(const std::uint8_t* data, std::size_t size) {
    std::uint64_t hash = 0xCBF2'9CE4'8422'2325U;
    for (std::size_t i = 0U; i < size; ++i) {
        hash = (hash ^ data[i]) * 0x0000'0100'0000'01B3U;
    }
    return hash;
}

TEST(Sample, SameSeedSameBytes) {
    const Sample first = make_tiny(11U);
    EXPECT_EQ(first.model, make_tiny(11U).model);
    EXPECT_NE(first.model, make_tiny(12U).model);
}

// What every compiler and every machine must come to. A change of the network, the pictures or the trainer changes
// these numbers; anything else that does is a defect.
TEST(Sample, SameBytesOnEveryMachine) {
    std::uint64_t pictures = 0U;
    for (const Example& example : make_examples(1U, Stream::kTest, 64U)) {
        pictures = (pictures * 31U) + hash_of(example.image.data(), example.image.size());
    }
    EXPECT_EQ(pictures, 0xA3B9'BDAC'2305'140BU);
    const Sample sample = make_tiny(1U);
    EXPECT_EQ(hash_of(sample.model.data(), sample.model.size()), 0xB7A9'F31C'96F1'7D29U);
}

class WrittenModel : public ::testing::Test {
  protected:
    static void SetUpTestSuite() { bytes() = make_tiny(2U).model; }

    static std::vector<std::uint8_t>& bytes() {
        static std::vector<std::uint8_t> model;
        return model;
    }
    static const format::Model& model() { return *format::GetModel(bytes().data()); }
    static const format::SubGraph& graph() { return *model().subgraphs()->Get(0U); }
};

TEST_F(WrittenModel, PassesTheVerifier) {
    flatbuffers::Verifier verifier{bytes().data(), bytes().size()};
    EXPECT_TRUE(format::VerifyModelBuffer(verifier));
    EXPECT_EQ(std::string(bytes().begin() + 4, bytes().begin() + 8), "TFL3");
    EXPECT_EQ(model().version(), 3U);
    EXPECT_LT(bytes().size(), 60000U);
}

TEST_F(WrittenModel, HasAnEmptyFirstBufferAndAlignedOthers) {
    ASSERT_GT(model().buffers()->size(), 1U);
    EXPECT_EQ(model().buffers()->Get(0U)->data(), nullptr);
    for (std::uint32_t i = 1U; i < model().buffers()->size(); ++i) {
        const auto* data = model().buffers()->Get(i)->data();
        ASSERT_NE(data, nullptr);
        EXPECT_EQ((data->data() - bytes().data()) % 16, 0) << "buffer " << i;
    }
}

TEST_F(WrittenModel, UsesTheOperatorsThatItShould) {
    const std::multiset<int> expected{0, 3, 3, 3, 3, 4, 4, 9, 17, 25, 34, 40};
    std::multiset<int> found;
    for (const auto* step : *graph().operators()) {
        const auto* code = model().operator_codes()->Get(step->opcode_index());
        EXPECT_EQ(code->builtin_code(), code->deprecated_builtin_code()) << "old and new readers agree";
        EXPECT_GE(code->version(), 2) << "version 1 has no int8";
        found.insert(code->builtin_code());
    }
    EXPECT_EQ(found, expected);
}

TEST_F(WrittenModel, EveryTensorIsNamedFilledAndQuantised) {
    std::set<std::string> names;
    for (const auto* tensor : *graph().tensors()) {
        names.insert(tensor->name()->str());
        std::size_t size = (tensor->type() == 2) ? 4U : 1U;
        for (const std::int32_t dim : *tensor->shape()) {
            size *= static_cast<std::size_t>(dim);
        }
        if (tensor->buffer() != 0U) {
            EXPECT_EQ(model().buffers()->Get(tensor->buffer())->data()->size(), size) << tensor->name()->c_str();
        }
        if (tensor->type() == 9) {
            ASSERT_NE(tensor->quantization(), nullptr) << tensor->name()->c_str();
            const auto& quantisation = *tensor->quantization();
            ASSERT_EQ(quantisation.scale()->size(), quantisation.zero_point()->size());
            if (quantisation.scale()->size() > 1U) {
                EXPECT_EQ(static_cast<int>(quantisation.scale()->size()),
                          tensor->shape()->Get(static_cast<std::uint32_t>(quantisation.quantized_dimension())));
            }
        }
    }
    EXPECT_EQ(names.size(), graph().tensors()->size()) << "names are unique";
}

TEST_F(WrittenModel, BiasScalesAreInputTimesFilter) {
    std::size_t checked = 0U;
    for (const auto* step : *graph().operators()) {
        if (step->inputs()->size() != 3U) {
            continue;
        }
        const auto tensor = [&](std::uint32_t i) {
            return graph().tensors()->Get(static_cast<std::uint32_t>(step->inputs()->Get(i)));
        };
        const float input = tensor(0U)->quantization()->scale()->Get(0U);
        const auto* filter = tensor(1U)->quantization()->scale();
        const auto* bias = tensor(2U)->quantization()->scale();
        ASSERT_EQ(filter->size(), bias->size());
        for (std::uint32_t c = 0U; c < bias->size(); ++c) {
            EXPECT_FLOAT_EQ(bias->Get(c), input * filter->Get(c));
            ++checked;
        }
    }
    EXPECT_GT(checked, 100U);
}

TEST_F(WrittenModel, TakesAPictureAndGivesProbabilities) {
    const auto* input = graph().tensors()->Get(static_cast<std::uint32_t>(graph().inputs()->Get(0U)));
    const auto* output = graph().tensors()->Get(static_cast<std::uint32_t>(graph().outputs()->Get(0U)));
    EXPECT_EQ(input->quantization()->scale()->Get(0U), 1.0F / 128.0F);
    EXPECT_EQ(input->quantization()->zero_point()->Get(0U), 0);
    EXPECT_EQ(output->quantization()->scale()->Get(0U), 1.0F / 256.0F);
    EXPECT_EQ(output->quantization()->zero_point()->Get(0U), -128);
    EXPECT_EQ(output->shape()->Get(1U), static_cast<int>(kClassCount));
}

}  // namespace
}  // namespace pianola::sample
