// What decompile says of a model's own binary once the model has changed.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tests/decompile/defects.h"

namespace pianola::decompile {

inline void expect_said(const ModelSpec& model, const std::function<void(ModelSpec&)>& change,
                        const std::string& wanted) {
    ModelSpec changed = model;
    change(changed);
    const std::vector<std::string> differences =
        judge(capture::link(tflite::import(model), {}), changed).report.differences;
    EXPECT_EQ(differences, std::vector<std::string>{wanted});
}

}  // namespace pianola::decompile
