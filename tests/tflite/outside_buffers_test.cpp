// Constants after the FlatBuffer, in other files, and operators of versions that the importer does not know.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "capture_host/tflite/import.h"
#include "capture_host/tflite/operators/operators.h"
#include "tests/tflite/model_builder.h"

namespace pianola::tflite {
namespace {

using Bytes = std::vector<std::uint8_t>;

constexpr std::uint64_t kPlace = 4096U;  // after every FlatBuffer here
constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

// x[1,3] * filter[2,3] + bias[2] -> y[1,2]; both constants in buffers 1 and 2.
ModelSpec layer() {
    ModelSpec model;
    model.tensors = {TensorSpec{"x", {1, 3}}, TensorSpec{"filter", {2, 3}, 1U},
                     TensorSpec{"bias", {2}, 2U, kInt32, {0.25F}}, TensorSpec{"y", {1, 2}}};
    model.operators = {OperatorSpec{9, {0, 1, 2}, {3}, 8U}};
    model.inputs = {0};
    model.outputs = {3};
    return model;
}

const Bytes kFilter{1U, 2U, 3U, 4U, 5U, 6U};
const Bytes kBias{7U, 0U, 0U, 0U, 9U, 0U, 0U, 0U};

ModelSpec inside() {
    ModelSpec model = layer();
    model.contents = {kFilter, kBias};
    return model;
}

// The filter at kPlace, and the bias after `gap` more bytes.
ModelSpec outside(std::uint64_t gap = 10U) {
    ModelSpec model = layer();
    model.places = {{kPlace, kFilter.size()}, {kPlace + kFilter.size() + gap, kBias.size()}};
    return model;
}

Bytes file_of(const ModelSpec& model, std::uint64_t gap = 10U) {
    Bytes file = build_model(model);
    EXPECT_LT(file.size(), kPlace);
    file.resize(kPlace, 0xA5U);
    file.insert(file.end(), kFilter.begin(), kFilter.end());
    file.insert(file.end(), gap, 0xA5U);
    file.insert(file.end(), kBias.begin(), kBias.end());
    return file;
}

capture::Recorder import_file(const Bytes& file) {
    capture::Recorder recorder;
    import_model(Span<const std::uint8_t>{file.data(), file.size()}, "name", {}, recorder);
    return recorder;
}

std::string refusal(const Bytes& file) {
    try {
        static_cast<void>(import_file(file));
    } catch (const ImportError& error) {
        return error.what();
    }
    return "imported";
}

std::string refusal(const ModelSpec& model) {
    return refusal(file_of(model));
}

std::vector<Bytes> constants(const capture::Recorder& recorder) {
    std::vector<Bytes> result;
    for (const capture::Buffer& buffer : recorder.buffers()) {
        if (buffer.role == capture::BufferRole::kConstant) {
            result.push_back(buffer.contents);
        }
    }
    return result;
}

TEST(OutsideBuffers, AreReadAtAnyAlignment) {
    const std::vector<Bytes> expected = constants(import_file(build_model(inside())));
    ASSERT_EQ(expected.size(), 2U);
    for (std::uint64_t gap = 0U; gap < 17U; ++gap) {
        EXPECT_EQ(constants(import_file(file_of(outside(gap), gap))), expected) << gap;
    }
}

TEST(OutsideBuffers, EqualOnesAreStoredOnce) {
    ModelSpec model = outside();
    model.tensors.push_back(TensorSpec{"again", {2, 3}, 3U});
    model.tensors.push_back(TensorSpec{"z", {1, 2}});
    model.places.push_back(model.places[0]);
    model.operators.push_back(OperatorSpec{9, {0, 4, 2}, {5}, 8U});
    model.outputs = {3, 5};
    const capture::Recorder recorder = import_file(file_of(model));
    EXPECT_EQ(recorder.launches()[0].operands[1].buffer, recorder.launches()[1].operands[1].buffer);
}

TEST(OutsideBuffers, RefusalsNameTheBufferItsPlaceAndTheFile) {
    const auto with = [](std::uint64_t offset, std::uint64_t size) {
        ModelSpec model = outside();
        model.places[0] = {offset, size};
        return refusal(model);
    };
    const std::string file = ", in a file of 4120 bytes)";
    EXPECT_EQ(with(4120U, 6U), "buffer 1 (offset 4120, size 6" + file + ": it reaches past the end of the file");
    EXPECT_EQ(with(4115U, 6U), "buffer 1 (offset 4115, size 6" + file + ": it reaches past the end of the file");
    EXPECT_EQ(with(kMax, 6U),
              "buffer 1 (offset 18446744073709551615, size 6" + file + ": it reaches past the end of the file");
    EXPECT_EQ(with(kPlace, kMax - kPlace + 7U),
              "buffer 1 (offset 4096, size 18446744073709547526" + file + ": it reaches past the end of the file");
    EXPECT_EQ(with(kPlace, kMax),
              "buffer 1 (offset 4096, size 18446744073709551615" + file + ": it reaches past the end of the file");
    EXPECT_EQ(with(0U, 6U), "buffer 1 (offset 0, size 6" + file + ": it has a size and no offset");
    EXPECT_EQ(with(1U, 6U), "buffer 1 (offset 1, size 6" + file + ": it has a size and no offset");
    EXPECT_EQ(with(2U, 6U), "buffer 1 (offset 2, size 6" + file + ": it overlaps the FlatBuffer");
    EXPECT_EQ(with(100U, 6U), "buffer 1 (offset 100, size 6" + file + ": it overlaps the FlatBuffer");
    EXPECT_EQ(with(4110U, 6U), "buffer 2 (offset 4112, size 8" + file + ": it overlaps buffer 1 in part");
    EXPECT_EQ(with(4112U, 6U), "buffer 2 (offset 4112, size 8" + file + ": it overlaps buffer 1 in part");
}

TEST(OutsideBuffers, SizesThatDoNotFitTheTensor) {
    const auto with = [](std::uint64_t size) {
        ModelSpec model = outside();
        model.places[0].size = size;
        return refusal(model);
    };
    const std::string prefix = "operator 0 (FULLY_CONNECTED): 'filter': its buffer 1 (offset 4096, size ";
    EXPECT_EQ(with(5U), prefix + "5, in a file of 4120 bytes) holds 5 bytes where its shape needs 6");
    EXPECT_EQ(with(7U), prefix + "7, in a file of 4120 bytes) holds 7 bytes where its shape needs 6");
    EXPECT_EQ(with(0U), prefix + "0, in a file of 4120 bytes) holds 0 bytes where its shape needs 6");
}

// As converters leave buffers that hold nothing.
TEST(OutsideBuffers, PlaceholdersHoldNothing) {
    ModelSpec model = outside();
    model.places.push_back({1U, 1U});
    model.places.push_back({0U, 0U});
    model.tensors[3].buffer = 3U;
    EXPECT_EQ(refusal(model), "imported");
    model.places[0] = {1U, 1U};
    EXPECT_EQ(refusal(model), "operator 0 (FULLY_CONNECTED): reads 'filter' before it is written");
}

TEST(OutsideBuffers, BytesAfterTheFlatBufferAlone) {
    Bytes file = build_model(inside());
    file.resize(file.size() + 100U, 0xFFU);
    EXPECT_EQ(refusal(file), "imported");
}

TEST(OtherFiles, AreRefusedByTheTensorThatNamesThem) {
    ModelSpec model = inside();
    model.tensors[1].external_buffer = 5U;
    model.externals = {{4U, 0U, 1U}, {5U, 64U, 6U}};
    EXPECT_EQ(refusal(build_model(model)),
              "operator 0 (FULLY_CONNECTED): 'filter': constants outside of the file are not supported: external "
              "buffer 5 (group 'weights.bin', offset 64, length 6)");
    model.externals = {};
    EXPECT_EQ(refusal(build_model(model)),
              "operator 0 (FULLY_CONNECTED): 'filter': constants outside of the file are not supported: external "
              "buffer 5");
    model = inside();
    model.externals = {{4U, 0U, 1U}};
    EXPECT_EQ(refusal(build_model(model)),
              "constants outside of the file are not supported: the model lists 1 external buffers in 1 groups");
}

// Nothing but the file as a whole is to blame: no operator names them.
TEST(OtherFiles, AreRefusedWhereNoOperatorNamesThem) {
    const std::string other_files = "constants outside of the file are not supported: ";
    ModelSpec model = inside();
    model.tensors.push_back(TensorSpec{"spare", {1}});
    EXPECT_EQ(refusal(build_model(model)), "imported");
    model.tensors.back().external_buffer = 5U;
    EXPECT_EQ(refusal(build_model(model)), "'spare': " + other_files + "external buffer 5");
    model.externals = {{5U, 64U, 6U}};
    EXPECT_EQ(refusal(build_model(model)),
              "'spare': " + other_files + "external buffer 5 (group 'weights.bin', offset 64, length 6)");
    model = inside();
    model.more_graphs = {inside()};
    EXPECT_EQ(refusal(build_model(model)), "imported");
    model.more_graphs[0].tensors[1].external_buffer = 5U;
    model.more_graphs[0].tensors[1].name = {};
    EXPECT_EQ(refusal(build_model(model)), "'tensor 1': " + other_files + "external buffer 5");
    model = inside();
    model.has_group = true;
    EXPECT_EQ(refusal(build_model(model)), other_files + "the model lists 0 external buffers in 1 groups");
}

// RESHAPE does not read an empty list of lengths, and so refuses nothing about it.
TEST(OtherFiles, AreRefusedWhereTheirTensorIsNotRead) {
    ModelSpec model;
    model.tensors = {TensorSpec{"x", {1}}, TensorSpec{"lengths", {0}, 0U, kInt32, {}, {}}, TensorSpec{"y", {}}};
    model.operators = {OperatorSpec{22, {0, 1}, {2}}};
    model.inputs = {0};
    model.outputs = {2};
    EXPECT_EQ(refusal(build_model(model)), "imported");
    model.tensors[1].external_buffer = 5U;
    EXPECT_EQ(refusal(build_model(model)),
              "'lengths': constants outside of the file are not supported: external buffer 5");
}

TEST(FirstBuffer, MustBeEmpty) {
    const std::string refused = "buffer 0 must be empty: tensors without contents name it";
    ModelSpec model = inside();
    model.first_contents = {1U, 2U, 3U};
    EXPECT_EQ(refusal(build_model(model)), refused);
    for (const PlaceSpec& place :
         {PlaceSpec{kPlace, 6U}, PlaceSpec{kPlace, 0U}, PlaceSpec{0U, 6U}, PlaceSpec{1U, 2U}}) {
        model = outside();
        model.first_place = place;
        EXPECT_EQ(refusal(model), refused) << place.offset << ' ' << place.size;
    }
    model = outside();
    model.first_place = {1U, 1U};  // as converters leave it
    EXPECT_EQ(refusal(model), "imported");
}

TEST(LargeOptions, AreRefusedByName) {
    ModelSpec model = inside();
    model.operators[0].large_options_offset = kPlace;
    model.operators[0].large_options_size = 10U;
    EXPECT_EQ(refusal(model),
              "operator 0 (FULLY_CONNECTED): large_custom_options_offset 4096 and large_custom_options_size 10 are not "
              "supported: options outside of the FlatBuffer");
    model.operators[0].large_options_offset = 1U;
    EXPECT_NE(refusal(model), "imported");
    model.operators[0].large_options_size = 1U;
    EXPECT_EQ(refusal(model), "imported");
}

// Of every operator that is listed: what is said of its version is said before anything else.
TEST(Versions, AboveTheHighestAreRefusedForEveryOperator) {
    for (const ImportedOperator& imported : imported_operators()) {
        ModelSpec model = inside();
        model.operators[0].code = imported.code;
        EXPECT_GE(imported.highest_version, 1);
        const std::string versions = (imported.highest_version == 1)
                                         ? std::string{"version 1 is"}
                                         : "versions 1 to " + std::to_string(imported.highest_version) + " are";
        for (const std::int32_t version : {imported.highest_version + 1, 99, 0, -1}) {
            model.operators[0].version = version;
            EXPECT_NE(refusal(model).find(": version " + std::to_string(version) + " is not supported; " + versions),
                      std::string::npos)
                << refusal(model);
        }
        for (const std::int32_t version : {1, imported.highest_version}) {
            model.operators[0].version = version;
            EXPECT_EQ(refusal(model).find(": version "), std::string::npos) << refusal(model);
        }
    }
}

TEST(Files, PointersOfGitAreNamed) {
    const std::string text = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n";
    EXPECT_NE(refusal(Bytes(text.begin(), text.end())).find("a Git LFS pointer"), std::string::npos);
}

}  // namespace
}  // namespace pianola::tflite
