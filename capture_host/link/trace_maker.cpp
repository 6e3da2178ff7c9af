#include "capture_host/link/trace_maker.h"

#include <fmt/format.h>

#include "capture_host/link/assembly.h"
#include "hal/devices/refdev/host/command_words.h"
#include "hal/kernels/kernel.h"
#include "pianola/config.h"

namespace pianola::capture {
namespace {

std::vector<std::uint32_t> place_operands(const Launch& launch, const Layout& layout) {
    std::vector<std::uint32_t> words = launch.arguments;
    for (const Operand& operand : launch.operands) {
        words.at(operand.word) = layout.addresses.at(static_cast<std::size_t>(operand.buffer)) + operand.offset_bytes;
    }
    return words;
}

std::vector<std::uint32_t> kernel_words(const Launch& launch, const std::vector<std::uint32_t>& arguments) {
    const refdev::Kernel* const kernel = refdev::find_kernel(static_cast<std::uint32_t>(launch.kernel));
    if ((kernel == nullptr) || (arguments.size() != kernel->argument_words)) {
        throw LinkError{fmt::format("{}: the kernel library has no kernel that takes these arguments", launch.label)};
    }
    refdev::Footprint footprint;
    refdev::ArgumentError error;
    if (!is_ok(kernel->describe(WordSpan{arguments.data(), arguments.size()}, footprint, error))) {
        throw LinkError{fmt::format("{}: kernel {} does not accept {} = {}", launch.label, kernel->name, error.field,
                                    arguments.at(error.word))};
    }
    if (footprint.cost_cycles > kMaxScriptCycles) {
        throw LinkError{fmt::format("{}: takes {} cycles, more than the {} of a whole step", launch.label,
                                    footprint.cost_cycles, kMaxScriptCycles)};
    }
    return refdev::launch_words(kernel->id, arguments);
}

}  // namespace

void TraceMaker::add(const Launch& launch, const Layout& layout) {
    const std::vector<std::uint32_t> operands = place_operands(launch, layout);
    targets::append(words_, (launch.kind == CommandKind::kCopy)
                                ? refdev::copy_words(operands.at(0), operands.at(1), operands.at(2))
                                : kernel_words(launch, operands));
    const std::string name = manifest_name(launch.label, "launch");
    if (programs_.empty() || (programs_.back().name != name)) {
        programs_.push_back({name, 0U});
    }
    programs_.back().command_count += 1U;
}

void TraceMaker::finish(const std::string& name, Manifest& manifest, Segments& segments) {
    targets::append(words_, refdev::end_words());
    add_trace(name, words_, programs_, refdev::target().command_set(), manifest, segments);
    words_.clear();
    programs_.clear();
}

}  // namespace pianola::capture
