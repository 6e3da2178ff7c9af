// One import, and what it says or records: shared by the tests of operators.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "capture_host/tflite/import.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "tests/tflite/model_builder.h"

namespace pianola::tflite {

// Little-endian.
inline std::vector<std::uint8_t> words(const std::vector<std::int32_t>& values) {
    std::vector<std::uint8_t> bytes;
    for (const std::int32_t value : values) {
        for (std::uint32_t shift = 0U; shift < 32U; shift += 8U) {
            bytes.push_back(static_cast<std::uint8_t>((static_cast<std::uint32_t>(value) >> shift) & 0xFFU));
        }
    }
    return bytes;
}

inline capture::Recorder import(const ModelSpec& model) {
    const std::vector<std::uint8_t> file = build_model(model);
    capture::Recorder recorder;
    import_model(Span<const std::uint8_t>{file.data(), file.size()}, "name", {}, recorder);
    return recorder;
}

// What the operator says about a model after `change`, without its prefix.
inline std::string refusal(ModelSpec model, const std::function<void(ModelSpec&)>& change) {
    change(model);
    try {
        static_cast<void>(import(model));
    } catch (const ImportError& error) {
        EXPECT_EQ(error.operator_index(), std::optional<std::uint32_t>{0U});
        return error.missing();
    }
    return "imported";
}

template <typename Arguments>
Arguments launch_at(const capture::Recorder& recorder, std::size_t index) {
    Arguments arguments{};
    const std::vector<std::uint32_t>& words = recorder.launches().at(index).arguments;
    EXPECT_EQ(words.size(), refdev::kArgumentWords<Arguments>);
    std::memcpy(&arguments, words.data(), std::min(sizeof(Arguments), words.size() * sizeof(std::uint32_t)));
    return arguments;
}

template <typename Arguments>
Arguments only_launch(const capture::Recorder& recorder, refdev::KernelId kernel) {
    EXPECT_EQ(recorder.launches().size(), 1U);
    EXPECT_EQ(recorder.launches().front().kernel, kernel);
    return launch_at<Arguments>(recorder, 0U);
}

inline std::vector<refdev::KernelId> kernels_of(const capture::Recorder& recorder) {
    std::vector<refdev::KernelId> kernels;
    for (const capture::Launch& launch : recorder.launches()) {
        kernels.push_back(launch.kernel);
    }
    return kernels;
}

// Of the buffer that an operand of the first launch lies in.
inline const std::vector<std::uint8_t>& operand_contents(const capture::Recorder& recorder, std::size_t operand) {
    return recorder.buffer(recorder.launches().front().operands.at(operand).buffer).contents;
}

}  // namespace pianola::tflite
