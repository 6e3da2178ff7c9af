#include "capture_host/binary/receipt.h"

#include <algorithm>

#include "capture_host/base/json.h"
#include "capture_host/base/text.h"
#include "capture_host/binary/kernels_json.h"
#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/self_tests.h"
#include "capture_host/binary/state.h"
#include "hal/host/device_numbers.h"
#include "pianola_schema_hash.h"

namespace pianola::signing {
namespace {

constexpr const char* kFormat = "pianola-receipt";

using files::to_hex;

std::vector<std::uint8_t> from_hex(const std::string& text) {
    constexpr int kBase = 16;
    std::vector<std::uint8_t> bytes;
    if ((text.size() % 2U) != 0U || (text.find_first_not_of("0123456789abcdef") != std::string::npos)) {
        throw SigningError{"the receipt's signature is not in hexadecimal digits"};
    }
    for (std::size_t i = 0U; i < text.size(); i += 2U) {
        bytes.push_back(static_cast<std::uint8_t>(std::stoul(text.substr(i, 2U), nullptr, kBase)));
    }
    return bytes;
}

nlohmann::json rules() {
    return nlohmann::json::array({
#define PIANOLA_RULE(name, id, message, why, cause, remedy) id,  // NOLINT(cppcoreguidelines-macro-usage): DEV-004
#include "pianola/rules.inc"
#undef PIANOLA_RULE
    });
}

nlohmann::json trust_to_json(const Trust& trust) {
    nlohmann::json keys = nlohmann::json::array();
    for (const TrustedKey& key : trust.keys) {
        keys.push_back({{"id", to_hex(ByteSpan{key.id})}, {"revoked", key.state != KeyState::kTrusted}});
    }
    return {{"signatures", (trust.signatures == SignaturePolicy::kOptional) ? "optional" : "required"},
            {"keys", keys},
            {"lowest_security_version", trust.lowest_security_version}};
}

bool is_accepted(const Verdict& verdict) {
    return is_ok(verdict.status) && (verdict.flow == kFlowAccepted);
}

nlohmann::json verdict_to_json(const Verdict& verdict) {
    if (is_accepted(verdict)) {
        return {{"accepted", true}};
    }
    return {{"accepted", false},
            {"rule", rule_id(verdict.rule)},
            {"field", files::path_text(verdict.path)},
            {"offset", verdict.file_offset}};
}

// The signed text: one line, members in alphabetical order.
std::string canonical(const nlohmann::json& statement) {
    return statement.dump(-1, ' ', true);
}

// The members of a statement of this version, with their types. Another tool may have signed it.
void require(bool holds, const char* member) {
    if (!holds) {
        throw SigningError{std::string{"signed, but no statement of a verdict: "} + member};
    }
}

const nlohmann::json& member_of(const nlohmann::json& object, const char* name) {
    require(object.is_object() && object.contains(name), name);
    return object.at(name);
}

// Whether all numbers are whole and not negative.
bool has_whole_numbers(const nlohmann::json& value) {
    if (value.is_structured()) {
        return std::all_of(value.begin(), value.end(), has_whole_numbers);
    }
    return !value.is_number() || value.is_number_unsigned();
}

bool is_hash(const nlohmann::json& value) {
    return value.is_string() && (value.get<std::string>().size() == (2U * kSha256Bytes)) &&
           (value.get<std::string>().find_first_not_of("0123456789abcdef") == std::string::npos);
}

void check_self_tests(const nlohmann::json& tests) {
    require(tests.is_array(), "self_tests");
    for (const nlohmann::json& test : tests) {
        const nlohmann::json& origin = member_of(test, "origin");
        require((origin == "expected") || (origin == "captured"), "self_tests.origin");
        require(is_hash(member_of(test, "inputs_sha256")), "self_tests.inputs_sha256");
        require(is_hash(member_of(test, "outputs_sha256")), "self_tests.outputs_sha256");
    }
}

void check_state(const nlohmann::json& regions) {
    require(regions.is_array(), "state");
    for (const nlohmann::json& region : regions) {
        require(member_of(region, "name").is_string(), "state.name");
        require(member_of(region, "memory").is_string(), "state.memory");
        require(member_of(region, "address").is_number_unsigned(), "state.address");
        require(member_of(region, "bytes").is_number_unsigned(), "state.bytes");
        for (const char* const script : {"prologue", "set_up"}) {
            const nlohmann::json& contents = member_of(region, script);
            for (const char* const number : {"bytes", "constant_bytes", "commands"}) {
                require(contents.is_null() || member_of(contents, number).is_number_unsigned(), number);
            }
            for (const char* const hash : {"constants_sha256", "commands_sha256"}) {
                require(contents.is_null() || is_hash(member_of(contents, hash)), hash);
            }
        }
    }
}

void check_statement(const nlohmann::json& statement) {
    require(has_whole_numbers(statement), "a number is negative, or not whole");
    const nlohmann::json& binary = member_of(statement, "binary");
    require(is_hash(member_of(binary, "sha256")), "binary.sha256");
    require(member_of(binary, "bytes").is_number_unsigned(), "binary.bytes");
    require(member_of(statement, "device").is_object(), "device");
    require(member_of(statement, "trust").is_object(), "trust");
    const nlohmann::json& validator = member_of(statement, "validator");
    require(member_of(validator, "version").is_string(), "validator.version");
    require(member_of(validator, "schema").is_string(), "validator.schema");
    require(!validator.contains("plugin") || is_hash(validator.at("plugin")), "validator.plugin");
    const nlohmann::json& rules = member_of(validator, "rules");
    require(rules.is_array() &&
                std::all_of(rules.begin(), rules.end(), [](const nlohmann::json& rule) { return rule.is_string(); }),
            "validator.rules");
    const nlohmann::json& verdict = member_of(statement, "verdict");
    require(member_of(verdict, "accepted").is_boolean(), "verdict.accepted");
    if (!verdict.at("accepted").get<bool>()) {
        require(member_of(verdict, "rule").is_string(), "verdict.rule");
        require(member_of(verdict, "field").is_string(), "verdict.field");
        require(member_of(verdict, "offset").is_number_unsigned(), "verdict.offset");
        return;
    }
    check_self_tests(member_of(statement, "self_tests"));
    check_state(member_of(statement, "state"));
}

}  // namespace

nlohmann::json device_to_json(const DeviceDescription& device) {
    nlohmann::json json{{"family", device.family},
                        {"kernel_library", to_hex(ByteSpan{device.kernel_library})},
                        {"profile", device.capacities->name},
                        {"attestation", attestation_name(device.attestation)},
                        {"costs", costs_name(device.costs)}};
    for_each_number([&json](const char* name, std::uint32_t value) { json[name] = value; }, device);
    return json;
}

nlohmann::json make_statement(const Judgement& judgement) {
    nlohmann::json statement{
        {"format", kFormat},
        {"version", kReceiptVersion},
        {"binary", {{"sha256", to_hex(ByteSpan{openssl_sha256(judgement.file)})}, {"bytes", judgement.file.size()}}},
        {"device", device_to_json(judgement.device)},
        {"trust", trust_to_json(judgement.trust)},
        {"validator",
         {{"version", judgement.validator_version}, {"schema", to_hex(ByteSpan{kSchemaHash})}, {"rules", rules()}}},
        {"verdict", verdict_to_json(judgement.verdict)}};
    statement["device"]["cost_model_name"] = judgement.cost_model_name;
    if (is_accepted(judgement.verdict)) {
        statement["kernels"] = capture::kernels_to_json(capture::read_manifest(judgement.image).target.kernels);
        statement["self_tests"] = evidence::to_json(evidence::self_tests_of(judgement.image));
        statement["state"] = evidence::to_json(evidence::state_of(judgement.image, judgement.command_set));
    }
    if (!judgement.plugin_sha256.empty()) {
        statement["validator"]["plugin"] = judgement.plugin_sha256;
    }
    return statement;
}

std::string make_receipt(const nlohmann::json& statement, const Key& key) {
    const std::vector<std::uint8_t> signature = key.sign_message(canonical(statement));
    const nlohmann::json receipt{{"statement", statement},
                                 {"key", to_hex(ByteSpan{key.hash()})},
                                 {"signature", to_hex({signature.data(), signature.size()})}};
    return receipt.dump(2) + "\n";
}

nlohmann::json open_receipt(const std::vector<std::uint8_t>& text, const Key& key) {
    nlohmann::json receipt;
    try {
        receipt = files::parse_json(text);
    } catch (const files::JsonError& error) {
        throw SigningError{std::string{"not a receipt: "} + error.what()};
    }
    const auto is_text = [&receipt](const char* name) { return receipt.contains(name) && receipt[name].is_string(); };
    if (!receipt.is_object() || (receipt.size() != 3U) || !receipt.contains("statement") ||
        !receipt["statement"].is_object() || !is_text("key") || !is_text("signature") ||
        (receipt["statement"].value("format", nlohmann::json{}) != kFormat) ||
        (receipt["statement"].value("version", nlohmann::json{}) != kReceiptVersion)) {
        throw SigningError{"not a receipt of this version"};
    }
    if (receipt["key"] != to_hex(ByteSpan{key.hash()})) {
        throw SigningError{"the receipt was signed with another key"};
    }
    if (!key.verifies_message(canonical(receipt["statement"]), from_hex(receipt["signature"].get<std::string>()))) {
        throw SigningError{"the signature does not hold: the receipt was changed, or is not that key's"};
    }
    check_statement(receipt["statement"]);
    return receipt["statement"];
}

}  // namespace pianola::signing
