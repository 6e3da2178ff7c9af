// The devices that could execute a binary here.
//
// Place in the whole: what `pianola devices` and `pianola doctor` show. Host only.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace pianola::cli {

struct DeviceList {
    std::string text;     // a line each
    nlohmann::json json;  // an array
    nlohmann::json none;  // why there is no Vulkan device; null where there is one
};
[[nodiscard]] DeviceList list_devices();

}  // namespace pianola::cli
