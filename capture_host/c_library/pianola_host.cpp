// The functions of pianola_host.h over the tools' own libraries.
#include "capture_host/c_library/pianola_host.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/binary/refusal_text.h"
#include "capture_host/binary/verify.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/manifest_json.h"
#include "pianola/envelope.h"
#include "pianola_host/files.h"
#include "pianola_host/targets.h"

// Opaque in C; unused texts are empty.
struct pianola_result {
    std::uint32_t status{PIANOLA_INTERNAL_ERROR};
    std::string rule;
    std::string field;
    std::uint32_t offset{0U};
    std::uint64_t actual{0U};
    std::uint64_t limit{0U};
    std::string text;
};

namespace {

using pianola::ByteSpan;
using pianola::Image;
using pianola::Status;
using pianola::Verdict;

// A file, its device, and the findings.
struct Judged {
    explicit Judged(ByteSpan bytes) : file{bytes}, target{pianola::targets::target_of(file, targets)} {}

    ByteSpan file;
    pianola::targets::Targets targets;
    pianola::targets::FileTarget target;
    pianola::signing::DevelopmentTrust trust;
    Image image;
    Verdict verdict;
};

void set_refusal(pianola_result& result, const Judged& judged) {
    const Verdict& verdict = judged.verdict;
    result.status = PIANOLA_REFUSED;
    result.rule = rule_id(verdict.rule);
    result.field = pianola::cli::path_text(verdict.path);
    result.offset = verdict.file_offset;
    result.actual = verdict.actual;
    result.limit = verdict.limit;
    result.text = pianola::cli::describe_verdict(
        verdict, judged.image, judged.target.device, *judged.target.target,
        pianola::capture::remedy_of(verdict, judged.file, judged.target.device, judged.target.target->command_set(),
                                    judged.target.why_not, judged.trust.get()));
}

void verify(ByteSpan file, pianola_result& result) {
    Judged judged{file};
    pianola::capture::Verification verification;
    const Status status = verification.verify(file, judged.target.device, judged.target.target->command_set(),
                                              judged.trust.get(), judged.target.authentication);
    if (is_ok(status)) {
        result.status = PIANOLA_DONE;
    } else {
        judged.image = verification.image;
        judged.verdict = verification.verdict;
        set_refusal(result, judged);
    }
}

void inspect(ByteSpan file, pianola_result& result) {
    Judged judged{file};
    pianola::Envelope envelope;
    pianola::Authentication known = judged.target.authentication;
    Status status = parse_envelope(file, envelope, judged.verdict);
    status = is_ok(status) ? authenticate(file, envelope, judged.trust.get(), known, judged.verdict) : status;
    status =
        is_ok(status) ? open_image(file, envelope, pianola::profiles::kHost, judged.image, judged.verdict) : status;
    if (is_ok(status)) {
        result.status = PIANOLA_DONE;
        nlohmann::json json = pianola::cli::manifest_to_json(pianola::capture::read_manifest(judged.image));
        json["schema"] = 1;
        const pianola::Target& target = *judged.target.target;
        const bool has_its_costs = target.usual_device().cost_model == judged.image.target().cost_model;
        json["target"]["cost_model_name"] = has_its_costs ? target.cost_model_name() : "";
        for (nlohmann::json& kernel : json["target"]["kernels"]) {
            const char* const name = target.kernel_name(kernel.at("id").get<std::uint32_t>());
            if (name != nullptr) {
                kernel["name"] = name;
            }
        }
        result.text = pianola::cli::json_text(json);
    } else {
        set_refusal(result, judged);
    }
}

// No exception may leave a function of C.
pianola_result* answer(const void* file, std::size_t file_bytes, void (*act)(ByteSpan, pianola_result&)) noexcept {
    auto owned = std::unique_ptr<pianola_result>{new (std::nothrow) pianola_result};
    pianola_result* const result = owned.get();
    if (result == nullptr) {
        return nullptr;
    }
    try {
        if ((file == nullptr) && (file_bytes != 0U)) {
            result->status = PIANOLA_USAGE;
            result->text = "the file is NULL, and its size is not 0";
            return owned.release();
        }
        // Longer files are refused by size, without a copy.
        const std::size_t kept = std::min<std::size_t>(file_bytes, pianola::kMaxFileBytes + std::size_t{1U});
        const auto* const bytes = static_cast<const std::uint8_t*>(file);
        const pianola::files::AlignedBytes copy{std::vector<std::uint8_t>{bytes, bytes + kept}};
        act(copy.view(), *result);
    } catch (const std::exception& error) {
        *result = pianola_result{};
        try {
            result->text = error.what();
        } catch (...) {  // no memory for the text either
            result->text.clear();
        }
    } catch (...) {
        *result = pianola_result{};
    }
    return owned.release();
}

}  // namespace

uint32_t pianola_api_version() {
    return PIANOLA_HOST_API_VERSION;
}

const char* pianola_version() {
    return PIANOLA_VERSION;
}

pianola_result* pianola_verify(const void* file, size_t file_bytes) {
    return answer(file, file_bytes, verify);
}

pianola_result* pianola_inspect_json(const void* file, size_t file_bytes) {
    return answer(file, file_bytes, inspect);
}

uint32_t pianola_result_status(const pianola_result* result) {
    return (result != nullptr) ? result->status : PIANOLA_INTERNAL_ERROR;
}

const char* pianola_result_rule(const pianola_result* result) {
    return (result != nullptr) ? result->rule.c_str() : "";
}

const char* pianola_result_field(const pianola_result* result) {
    return (result != nullptr) ? result->field.c_str() : "";
}

uint32_t pianola_result_offset(const pianola_result* result) {
    return (result != nullptr) ? result->offset : 0U;
}

uint64_t pianola_result_actual(const pianola_result* result) {
    return (result != nullptr) ? result->actual : 0U;
}

uint64_t pianola_result_limit(const pianola_result* result) {
    return (result != nullptr) ? result->limit : 0U;
}

const char* pianola_result_text(const pianola_result* result) {
    return (result != nullptr) ? result->text.c_str() : "";
}

void pianola_result_free(pianola_result* result) {
    const std::unique_ptr<pianola_result> ended{result};
}
