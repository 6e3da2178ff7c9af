#include "runtime/integrity/parameter_words.h"

#include <cstring>

namespace pianola {

void put_parameters(const Plan& plan, const ParameterValues& values, std::uint32_t address,
                    MutableByteSpan bytes) noexcept {
    for (std::uint32_t i = 0U; i < plan.parameter_count; ++i) {
        const PlannedParameter& parameter = plan.parameters[i];
        for (std::uint32_t k = 0U; values.is_set[i] && (k < parameter.point_count); ++k) {
            const std::uint32_t place = plan.patch_addresses[parameter.first_point + k] - address;
            // Empty if the word is elsewhere: words and chunks are aligned, so that a word is in one chunk.
            const MutableByteSpan word = bytes.subspan(place, sizeof(values.value[i]));
            if (!word.empty()) {
                std::memcpy(word.data(), &values.value[i], word.size());
            }
        }
    }
}

}  // namespace pianola
