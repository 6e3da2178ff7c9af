// What `pianola inspect` finds in a binary, for its JSON, text and page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "capture_host/cli/binary_file.h"

namespace pianola::cli {

// Whether there is a target for the family that the file names.
[[nodiscard]] bool is_known(const BinaryFile& file, const Image& image);

// The verdict without a key, and whether zero-copy I/O is possible on the device that the binary is for.
struct Judgement {
    Verdict verdict;
    nlohmann::json views;  // member `views` of the inspection; `possible` is null if the file is refused
};
// Target::cost_model_name() of the binary's target; empty if this build does not know it.
[[nodiscard]] std::string cost_model_name(const BinaryFile& file, const Image& image);

[[nodiscard]] Judgement judge(const BinaryFile& file);

// The document of --json, without the file's name: docs/reference/schemas/inspect.json.
[[nodiscard]] nlohmann::json inspection_to_json(const BinaryFile& file, const Image& image, const Judgement& judgement,
                                                bool with_commands);

// Texts of members of the inspection. Devices are "(0, 0) to (1, 1)", or one; empty if the target is no mesh.
[[nodiscard]] std::string views_text(const nlohmann::json& inspection);
[[nodiscard]] std::string evidence_text_of(const nlohmann::json& inspection);
[[nodiscard]] std::string type_and_shape(const nlohmann::json& tensor);
[[nodiscard]] std::string devices_text(const nlohmann::json& inspection, const nlohmann::json& devices);

// The page of `inspect --html`: memory map, tensors, operators, scripts and the verdict, as pictures and tables. A
// function of the file alone.
[[nodiscard]] std::string inspect_page(const std::string& file_name, const WellFormedFile& open);

}  // namespace pianola::cli
