// Defects that an importer, a planner or a linker might have, put into a lowered program or a linked binary, whose
// digests are then made anew: decompile names each of them.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "capture_host/binary/verify.h"
#include "capture_host/decompile/decompile.h"
#include "hal/devices/refdev/host/refdev_target.h"
#include "pianola/development_config.h"
#include "pianola_host/files.h"
#include "tests/decompile/defects.h"
#include "tests/tflite/model_builder.h"

namespace pianola::decompile {

Verdicts judge(const capture::LinkedWorkload& work, const ModelSpec& against) {
    const std::vector<std::uint8_t> model = tflite::build_model(against);
    const files::AlignedBytes file{capture::write_trace_binary(work.manifest, work.segments)};
    capture::Verification proofs;
    const DeviceDescription device = refdev::target().usual_device();
    const Status status = proofs.verify(file.view(), device, refdev::target().command_set(), kDevelopmentTrust);
    return {decompile(proofs.image, refdev::target().command_set(), {model.data(), model.size()}), !is_ok(status)};
}

namespace {

Verdicts verdicts_on(const Defect& defect) {
    return judge(linked(defect), defect.model());
}

void expect_equal(ModelSpec (*model)(), bool is_pipelined) {
    const Verdicts verdicts = verdicts_on({"", "", {}, {}, model, is_pipelined});
    const Report& report = verdicts.report;
    EXPECT_FALSE(verdicts.is_refused);
    EXPECT_EQ(report.differences, std::vector<std::string>{});
    EXPECT_EQ(report.operators, model().operators.size());
    EXPECT_GE(report.lines.size(), report.operators);
}

TEST(Decompile, TheModelsOwnBinaryIsEqual) {
    for (const auto model : {model_of_all, model_of_twins, model_of_int16}) {
        expect_equal(model, false);
        expect_equal(model, true);
    }
    expect_equal(model_of_states, false);
}

TEST(Decompile, AVariableIsFollowedUntilItIsFull) {
    EXPECT_EQ(verdicts_on({"", "", {}, {}, model_of_last_twelve}).report.differences, std::vector<std::string>{});
    const auto too_long = [] {
        constexpr std::int32_t kRows = 256;
        return model_of_last(kRows);
    };
    EXPECT_EQ(verdicts_on({"", "", {}, {}, too_long}).report.differences,
              std::vector<std::string>{"not understood: 256 steps are too few to tell what one leaves to the next"});
}

// Both inputs and both outputs have one name; the binary tells them apart by a number.
ModelSpec model_of_namesakes() {
    ModelSpec model = model_of_twins();
    for (tflite::TensorSpec& tensor : model.tensors) {
        tensor.name = std::string(kMaxNameBytes, 'n');
    }
    return model;
}

TEST(Decompile, ModelsWhoseTensorsHaveTheSameNameAreEqual) {
    EXPECT_EQ(verdicts_on({"", "", {}, {}, model_of_namesakes}).report.differences, std::vector<std::string>{});
}

// Of every layout and kind. Constants begin at multiples of 16 bytes: those between them do not count.
TEST(Decompile, EveryByteOfConstantsCounts) {
    struct Subject {
        ModelSpec (*model)();
        refdev::WeightsLayout pack;
        std::size_t between;
    };
    const std::vector<Subject> subjects{{model_of_int16, refdev::WeightsLayout::kPlain, 4U},
                                        {model_of_states, refdev::WeightsLayout::kPlain, 12U + 8U + 12U},
                                        {model_of_all, refdev::WeightsLayout::kPlain, 12U + 10U + 12U + 10U + 8U},
                                        {model_of_all, refdev::WeightsLayout::kDsp, 12U + 10U + 12U + 10U},
                                        {model_of_all, refdev::WeightsLayout::kMve, 12U + 10U + 12U + 10U}};
    for (const Subject& subject : subjects) {
        std::size_t at = 0U;
        std::size_t bytes = 0U;
        const auto flip = [&](capture::LinkedWorkload& work) {
            bytes = work.segments.weights.size();
            work.segments.weights.at(at) ^= static_cast<std::uint8_t>(1U << (at % 8U));
        };
        const auto is_equal = [&subject](const std::function<void(capture::LinkedWorkload&)>& in_binary) {
            return verdicts_on({"", "", {}, in_binary, subject.model, false, subject.pack}).report.differences.empty();
        };
        EXPECT_TRUE(is_equal({}));
        std::size_t unnoticed = is_equal(flip) ? 1U : 0U;
        for (at = 1U; at < bytes; ++at) {
            unnoticed += is_equal(flip) ? 1U : 0U;
        }
        EXPECT_EQ(unnoticed, subject.between);
    }
}

TEST(Decompile, EverySeededDefectIsNamed) {
    const std::vector<Defect> defects = all_defects();
    EXPECT_GE(defects.size(), 30U);
    for (const Defect& defect : defects) {
        const Verdicts verdicts = verdicts_on(defect);
        const Report& report = verdicts.report;
        EXPECT_EQ(report.differences.size(), 1U) << defect.part << ": " << defect.what;
        if (!report.differences.empty()) {
            const std::string row = std::string{"| "} + defect.part + " | " + defect.what + " | " +
                                    (verdicts.is_refused ? "refused" : "accepted") + " | " +
                                    report.differences.front() + " |";
            std::puts(row.c_str());
        }
    }
}

}  // namespace
}  // namespace pianola::decompile
