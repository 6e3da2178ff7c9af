// Completion for shells, from the parser.
#pragma once

#include <CLI/ConfigFwd.hpp>
#include <string>

namespace pianola::cli {

[[nodiscard]] std::string bash_completion(const CLI::App& app);
[[nodiscard]] std::string zsh_completion(const CLI::App& app);
[[nodiscard]] std::string fish_completion(const CLI::App& app);

}  // namespace pianola::cli
