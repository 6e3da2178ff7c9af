// What was probably meant by a word that is none of those that are known.
//
// For mistyped commands, options and values.
#pragma once

#include <string>
#include <vector>

namespace pianola::cli {

// How many letters must be added, left out, replaced, or exchanged with their neighbour.
[[nodiscard]] std::size_t edit_distance(const std::string& left, const std::string& right);

// The candidates that a word of this length can be meant to be, nearest first; empty where none is near.
[[nodiscard]] std::vector<std::string> suggestions(const std::string& word, const std::vector<std::string>& candidates);

// "; did you mean --json or --jobs?", or nothing.
[[nodiscard]] std::string did_you_mean(const std::string& word, const std::vector<std::string>& candidates);

}  // namespace pianola::cli
