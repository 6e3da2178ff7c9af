// The devices that could execute a binary here.
//
// What `pianola devices` and `pianola doctor` show.
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
