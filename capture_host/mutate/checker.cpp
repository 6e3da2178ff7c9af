#include "capture_host/mutate/checker.h"

#include "pianola_host/files.h"

namespace pianola::mutate {

const Verdict& Checker::check(const std::vector<std::uint8_t>& file, std::uint32_t shift_bytes, TrustKind trust) {
    std::vector<std::uint8_t> shifted(shift_bytes);
    shifted.insert(shifted.end(), file.begin(), file.end());
    const files::AlignedBytes bytes{shifted};
    const Status status =
        proofs_.verify(bytes.view().subspan(shift_bytes, file.size()), device_, command_set_, trust_of(trust));
    // Both give a status; if they differ, nothing is accepted.
    Verdict& verdict = proofs_.verdict;
    verdict.status = (status == verdict.status) ? status : Status::kInternal;
    return verdict;
}

}  // namespace pianola::mutate
