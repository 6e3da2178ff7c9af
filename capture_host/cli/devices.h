// The devices that could execute a binary here.
//
// What `pianola devices` and `pianola doctor` show.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace pianola::cli {

struct DeviceList {
    std::string text;        // a line each
    nlohmann::json json;     // an array
    nlohmann::json missing;  // "no_NAME" of every executor: why it has no device; null where it has one
};
[[nodiscard]] DeviceList list_devices();

}  // namespace pianola::cli
