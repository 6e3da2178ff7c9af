// What `pianola verify` finds out about one file.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "capture_host/binary/verify.h"
#include "capture_host/cli/cli.h"
#include "capture_host/cli/file_list.h"
#include "capture_host/cli/target_option.h"
#include "pianola/rule.h"
#include "pianola/trust.h"

namespace pianola::cli {

struct VerifyArguments {
    std::vector<std::string> files;
    TargetArguments target;
    std::vector<std::string> keys;     // PEM files
    std::vector<std::string> revoked;  // PEM files
    std::uint32_t lowest_security_version{0U};
    std::string receipt;
    std::string receipt_key;
    std::vector<std::string> reports;  // FORM=OUT
    std::uint32_t jobs{0U};            // 0: as many as there are cores
    bool json{false};
};

struct VerifyOutcome {
    std::string file;
    ExitCode code{kInternalError};  // kDone, kRefused, or why it could not be looked at
    nlohmann::json facts;           // as --json shows them
    std::string text;               // as it is shown alone
    std::string line;               // among others
};

// Whether the host looks at a rule: the device alone has a counter, and signatures are looked at where there is a key.
[[nodiscard]] bool applies(Rule rule, bool has_keys);

// The requirements on all files of a call. Many threads may verify at once, each with separate proofs.
class Verifier {
  public:
    explicit Verifier(const VerifyArguments& arguments);  // throws CliError, files::FileError, signing::SigningError

    // Throws CliError with kUsage; every other trouble is an outcome. With `complains` every trouble is thrown.
    [[nodiscard]] VerifyOutcome verify(const ListedFile& listed, capture::Verification& proofs, bool complains) const;

  private:
    [[nodiscard]] VerifyOutcome judge(const std::string& name, capture::Verification& proofs) const;

    const VerifyArguments& arguments_;
    targets::Targets targets_;
    DeviceFile device_;
    std::vector<TrustedKey> keys_;
};

}  // namespace pianola::cli
