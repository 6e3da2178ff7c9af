#include "capture_host/cli/well_formed_file.h"

#include "capture_host/binary/openssl_digest.h"
#include "capture_host/cli/cli.h"
#include "pianola/development_config.h"

namespace pianola::cli {

WellFormedFile::WellFormedFile(const std::string& file_name, const std::string& plugin)
    : file{file_name, {"", plugin}} {
    Verdict verdict;
    Status status = parse_envelope(file.bytes(), envelope, verdict);
    status = is_ok(status) ? authenticate(file.bytes(), envelope, signing::DevelopmentTrust{}.get(), verdict) : status;
    status = is_ok(status) ? open_image(file.bytes(), envelope, profiles::kHost, image, verdict) : status;
    if (!is_ok(status)) {
        throw file.refused(verdict, image);
    }
}

}  // namespace pianola::cli
