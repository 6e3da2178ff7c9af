#include "capture_host/base/json.h"

#include <algorithm>
#include <set>
#include <string>

namespace pianola::files {

template <typename Json>
Json parse_json(const std::vector<std::uint8_t>& text) {
    std::vector<std::set<std::string>> open_objects;  // the names of their members so far
    const auto look = [&open_objects](int depth, typename Json::parse_event_t event, Json& value) {
        using Event = typename Json::parse_event_t;
        const bool is_start = (event == Event::object_start) || (event == Event::array_start);
        if (is_start && (depth >= kMaxJsonDepth)) {
            throw JsonError{"nested deeper than " + std::to_string(kMaxJsonDepth)};
        }
        if (event == Event::object_start) {
            open_objects.emplace_back();
        } else if (event == Event::object_end) {
            open_objects.pop_back();
        } else if ((event == Event::key) && !open_objects.back().insert(value.template get<std::string>()).second) {
            throw JsonError{"the member " + value.dump(-1, ' ', true) + " appears twice in one object"};
        } else {
            // All other values may occur any number of times.
        }
        return true;
    };
    // The library takes a NUL as the end of the text, and ignores the rest.
    const auto nul = std::find(text.begin(), text.end(), std::uint8_t{0U});
    if (nul != text.end()) {
        throw JsonError{"a NUL byte at offset " + std::to_string(nul - text.begin())};
    }
    try {
        return Json::parse(text, look);
    } catch (const nlohmann::json::exception& error) {
        const std::string what = error.what();  // "[json.exception.parse_error.101] parse error at line 1, ..."
        throw JsonError{what.substr(std::min(what.find("] ") + 2U, what.size()))};
    }
}

template nlohmann::json parse_json(const std::vector<std::uint8_t>& text);
template nlohmann::ordered_json parse_json(const std::vector<std::uint8_t>& text);

}  // namespace pianola::files
