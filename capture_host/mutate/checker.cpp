#include "capture_host/mutate/checker.h"

#include "capture_host/binary/verify.h"
#include "pianola_host/files.h"

namespace pianola::mutate {

const Verdict& Checker::check(const std::vector<std::uint8_t>& file, std::uint32_t shift_bytes, TrustKind trust) {
    std::vector<std::uint8_t> shifted(shift_bytes);
    shifted.insert(shifted.end(), file.begin(), file.end());
    const files::AlignedBytes bytes{shifted};
    Image image;
    verdict_ = Verdict{};
    const Status status = capture::verify(bytes.view().subspan(shift_bytes, file.size()), device_, command_set_,
                                          trust_of(trust), *workspace_, image, *plan_, verdict_);
    // Both give a status; if they differ, nothing is accepted.
    verdict_.status = (status == verdict_.status) ? status : Status::kInternal;
    return verdict_;
}

}  // namespace pianola::mutate
