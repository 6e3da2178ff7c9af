// --key, --revoked, --lowest-security-version: whose binaries a sub-command takes.
//
// Place in the whole: what a device has in its configuration, on the command line. Host only.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "capture_host/cli/cli.h"
#include "hal/crypto/bearssl_verifier.h"
#include "pianola/trust.h"

namespace pianola::cli {

struct TrustArguments {
    std::vector<std::string> keys;     // PEM files
    std::vector<std::string> revoked;  // PEM files
    std::uint32_t lowest_security_version{0U};
};

// A policy, with what it refers to. Without any key signatures are not looked at, which is what development wants.
class TrustOption {
  public:
    // Throws signing::SigningError, files::FileError.
    explicit TrustOption(const TrustArguments& arguments);
    ~TrustOption() = default;
    // The policy points into the object.
    TrustOption(const TrustOption&) = delete;
    TrustOption& operator=(const TrustOption&) = delete;

    [[nodiscard]] const Trust& trust() const noexcept { return trust_; }

  private:
    std::vector<TrustedKey> keys_;
    BearSslVerifier verifier_;
    Trust trust_;
};

void add_trust_options(CLI::App& command, TrustArguments& arguments);

}  // namespace pianola::cli
