#include "tests/worst_case/trace_words.h"

#include <stdexcept>

namespace pianola::test {

std::uint32_t TraceWords::cost_of(refdev::KernelId kernel, const std::vector<std::uint32_t>& arguments) {
    refdev::Footprint footprint;
    refdev::ArgumentError error;
    const refdev::Kernel* const found = refdev::find_kernel(static_cast<std::uint32_t>(kernel));
    if ((found == nullptr) || !is_ok(found->describe(WordSpan{arguments.data(), arguments.size()}, footprint, error))) {
        throw std::invalid_argument{"the kernel does not accept these arguments"};
    }
    return static_cast<std::uint32_t>(footprint.cost_cycles);
}

}  // namespace pianola::test
