// Receipts: signed statements of a validator's verdict on a binary.
//
// Evidence for recipients that do not run the validator. A statement names the binary by its hash, the device and the
// policy that it was judged for, the validator by version, schema and rules, and the verdict; for an accepted binary
// also its self-tests and the state that it keeps. The same input gives the same statement, byte for byte; with an
// Ed25519 key the same receipt. docs/reference/receipt.md specifies the file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "capture_host/binary/signing.h"
#include "pianola/command_set.h"
#include "pianola/device.h"
#include "pianola/image.h"
#include "pianola/verdict.h"
#include "pianola_host/manifest.h"

namespace pianola::signing {

inline constexpr int kReceiptVersion = 2;

struct Judgement {
    ByteSpan file;
    const DeviceDescription& device;
    const Trust& trust;
    const Verdict& verdict;
    const Image& image;  // read only if it was accepted
    const CommandSet& command_set;
    std::string cost_model_name;    // Target::cost_model_name()
    std::string validator_version;  // of this program
    std::string plugin_sha256;      // of the target's plugin; empty if the target was built in
};

// Every field of a device's description, and the name of its profile.
[[nodiscard]] nlohmann::json device_to_json(const DeviceDescription& device);

[[nodiscard]] nlohmann::json make_statement(const Judgement& judgement);

// The receipt's text.
[[nodiscard]] std::string make_receipt(const nlohmann::json& statement, const Key& key);

// The statement of a receipt that the key has signed. Throws SigningError for text that is no receipt, was signed with
// another key, was changed, or lacks members of a statement.
[[nodiscard]] nlohmann::json open_receipt(const std::vector<std::uint8_t>& text, const Key& key);

}  // namespace pianola::signing
