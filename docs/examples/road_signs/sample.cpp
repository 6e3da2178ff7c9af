#include "docs/examples/road_signs/sample.h"

#include <algorithm>
#include <string_view>
#include <system_error>

#include "docs/examples/road_signs/contact_sheet.h"
#include "docs/examples/road_signs/quantise.h"
#include "docs/examples/road_signs/tflite_writer.h"
#include "pianola_host/files.h"

namespace pianola::sample {

namespace {

constexpr std::size_t kCalibrationPictures = 256U;

std::string to_input_bytes(const Image& image) {
    std::string bytes;
    bytes.reserve(image.size());
    for (const std::uint8_t value : image) {
        bytes.push_back(static_cast<char>(to_model_input(value)));
    }
    return bytes;
}

}  // namespace

std::vector<Example> make_test_examples(std::uint64_t seed) {
    return make_examples(seed, Stream::kTest, kTestPictures);
}

Sample make_sample(const TrainingPlan& plan, const std::function<void(const Progress&)>& report) {
    Sample sample;
    sample.test = make_test_examples(plan.seed);
    Network network = make_network(plan.seed);
    sample.macs = count_macs(network);
    sample.parameters = count_parameters(network);
    train(plan, network, report);
    const QuantisedNetwork quantised =
        quantise(network, make_examples(plan.seed, Stream::kCalibration, kCalibrationPictures));
    sample.float_accuracy = accuracy(network, sample.test);
    sample.int8_estimate = accuracy(dequantise(network, quantised), sample.test, &quantised.grids);
    sample.model = write_tflite(network, quantised);
    return sample;
}

void store_sample(const Sample& sample, const std::filesystem::path& directory) {
    std::error_code error;
    (void)std::filesystem::create_directories(directory, error);
    if (error) {
        throw files::FileError("cannot make the directory " + directory.string());
    }
    std::string images;
    std::string labels;
    for (const Example& example : sample.test) {
        images += to_input_bytes(example.image);
        labels.push_back(static_cast<char>(example.label));
    }
    std::string names;
    for (const std::string_view name : kClassNames) {
        names.append(name).push_back('\n');
    }
    constexpr std::size_t kPictureZoom = 8U;
    for (std::size_t k = 0U; k < std::min(kSinglePictures, sample.test.size()); ++k) {
        const std::string stem = "sign_" + std::to_string(k);
        files::store_file(directory / (stem + ".bin"), to_input_bytes(sample.test[k].image));
        files::store_file(directory / (stem + ".ppm"), image_to_ppm(sample.test[k].image, kPictureZoom));
    }
    files::store_file(directory / "test_images.bin", images);
    files::store_file(directory / "test_labels.bin", labels);
    files::store_file(directory / "labels.txt", names);
    files::store_file(directory / "road_signs.tflite", sample.model);
}

}  // namespace pianola::sample
