// Texts made from the documents that --json prints, so that both report the same values.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace pianola::cli {

// The form with every {PATH} or {PATH:SPEC} replaced by that member of the document. PATH is a member's name, or names
// with '/' between them; SPEC is a format specification of fmt. A list of strings is joined with ", ". Throws
// nlohmann::json::exception if a member is missing or is an object or null: a defect of the form.
[[nodiscard]] std::string fill(std::string_view form, const nlohmann::json& document);

// The form filled with one element of the list after another.
[[nodiscard]] std::string fill_each(std::string_view form, const nlohmann::json& list);

// Prints the document, or the text that is made from it.
void print_result(bool as_json, const nlohmann::json& document, const std::string& text);

}  // namespace pianola::cli
