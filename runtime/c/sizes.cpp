// Source of pianola_sizes.h: the build reads the size of each object from this object file with nm. Nothing links the
// file, so cross compilers work too.
#include <array>

#include "runtime/c/storage.h"

namespace pianola::c_api {

template <std::size_t kNumber>
using Number = std::array<char, kNumber>;

// C linkage: nm prints these names unmangled.
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
