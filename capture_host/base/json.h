// JSON that another program may have written.
//
// The only part of the host side that parses JSON. The library compares, copies and prints values by recursion, and
// keeps the last of several members of one name. So the reader refuses deep nesting and repeated names.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <vector>

#include "pianola_host/files.h"

namespace pianola::files {

inline constexpr int kMaxJsonDepth = 32;  // objects and arrays inside each other; ours have up to 5

// The text is not JSON, holds a NUL byte, is nested deeper than kMaxJsonDepth, or names a member of one object twice.
class JsonError : public FileError {
  public:
    using FileError::FileError;
};

// Json is nlohmann::json or nlohmann::ordered_json. Throws JsonError; what() does not name the file.
template <typename Json = nlohmann::json>
[[nodiscard]] Json parse_json(const std::vector<std::uint8_t>& text);

}  // namespace pianola::files
