#include "runtime/integrity/parameter_words.h"

#include <cstring>

namespace pianola {

bool take_out_parameters(const Plan& plan, const ParameterValues& values, std::uint32_t address, ByteSpan file,
                         MutableByteSpan held) noexcept {
    bool is_right = true;
    for (std::uint32_t i = 0U; i < plan.parameter_count; ++i) {
        const PlannedParameter& parameter = plan.parameters[i];
        for (std::uint32_t k = 0U; values.is_set[i] && (k < parameter.point_count); ++k) {
            const std::uint32_t place = plan.patch_addresses[parameter.first_point + k] - address;
            // Empty if the word is elsewhere: words and chunks are aligned, so that a word is in one chunk.
            const MutableByteSpan word = held.subspan(place, sizeof(values.value[i]));
            if (!word.empty()) {
                is_right = is_right && (std::memcmp(word.data(), &values.value[i], word.size()) == 0);
                std::memcpy(word.data(), &file[place], word.size());
            }
        }
    }
    return is_right;
}

}  // namespace pianola
