// What pianola_sizes.h is made of: the size of each object here is a number of the target, which the build reads from
// the object file with nm. Nothing links it, so that it works for a cross compiler as for any other.
#include <array>

#include "runtime/c/storage.h"

namespace pianola::c_api {

template <std::size_t kNumber>
using Number = std::array<char, kNumber>;

// C linkage, for names that nm gives as they are.
extern "C" {
extern const Number<kWordsOf<Session>> kPnlSessionWords;
const Number<kWordsOf<Session>> kPnlSessionWords{};
extern const Number<kWordsOf<PlanWorkspace>> kPnlWorkspaceWords;
const Number<kWordsOf<PlanWorkspace>> kPnlWorkspaceWords{};
extern const Number<kWordsOf<ValidationStorage>> kPnlValidationWords;
const Number<kWordsOf<ValidationStorage>> kPnlValidationWords{};
extern const Number<kWordsOf<CDevice>> kPnlDeviceWords;
const Number<kWordsOf<CDevice>> kPnlDeviceWords{};
extern const Number<kWordsOf<CPlatform>> kPnlPlatformWords;
const Number<kWordsOf<CPlatform>> kPnlPlatformWords{};
extern const Number<kWordsOf<CCommandSet>> kPnlCommandSetWords;
const Number<kWordsOf<CCommandSet>> kPnlCommandSetWords{};
extern const Number<kWordsOf<CVerifier>> kPnlVerifierWords;
const Number<kWordsOf<CVerifier>> kPnlVerifierWords{};
extern const Number<kWordsOf<CDigestEngine>> kPnlDigestEngineWords;
const Number<kWordsOf<CDigestEngine>> kPnlDigestEngineWords{};
extern const Number<kMaxMeshDevices> kPnlMeshDevices;
const Number<kMaxMeshDevices> kPnlMeshDevices{};
extern const Number<kMaxFaultRecords> kPnlFaultRecords;
const Number<kMaxFaultRecords> kPnlFaultRecords{};
extern const Number<kMaxStepsInFlight> kPnlStepsInFlight;
const Number<kMaxStepsInFlight> kPnlStepsInFlight{};
extern const Number<kCapacities.number> kPnlProfile;
const Number<kCapacities.number> kPnlProfile{};
}

}  // namespace pianola::c_api
