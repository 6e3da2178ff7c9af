#include "capture_host/link/trace_maker.h"

#include <fmt/format.h>

#include "hal/devices/refdev/host/command_words.h"
#include "hal/kernels/kernel.h"
#include "pianola/bytes.h"
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
    if (launch.kind == CommandKind::kCopy) {
        append(refdev::copy_words(operands.at(0), operands.at(1), operands.at(2)));
    } else {
        append(kernel_words(launch, operands));
    }
    const std::string name = manifest_name(launch.label, "launch");
    if (trace_.programs.empty() || (trace_.programs.back().name != name)) {
        trace_.programs.push_back({name, 0U});
    }
    trace_.programs.back().command_count += 1U;
}

ManifestTrace TraceMaker::finish(const std::string& name) {
    append(refdev::end_words());
    trace_.name = name;
    trace_.offset_bytes = static_cast<std::uint32_t>(first_word_ * sizeof(std::uint32_t));
    trace_.word_count = static_cast<std::uint32_t>(words_.size() - first_word_);
    ManifestTrace finished = std::move(trace_);
    trace_ = ManifestTrace{};
    walk_ = targets::TraceWalk{refdev::target().command_set()};
    return finished;
}

std::vector<std::uint8_t> TraceMaker::bytes() const {
    std::vector<std::uint8_t> bytes(words_.size() * sizeof(std::uint32_t));
    for (std::size_t i = 0U; i < words_.size(); ++i) {
        store_le32(MutableByteSpan{bytes.data(), bytes.size()}, i * sizeof(std::uint32_t), words_[i]);
    }
    return bytes;
}

void TraceMaker::append(const std::vector<std::uint32_t>& command) {
    constexpr std::size_t kAlignmentWords = kFileAlignmentBytes / sizeof(std::uint32_t);
    if (trace_.command_count == 0U) {  // the first of its trace, which starts at a multiple of 64 bytes
        words_.resize(((words_.size() + (kAlignmentWords - 1U)) / kAlignmentWords) * kAlignmentWords);
        first_word_ = words_.size();
    }
    if (!walk_.next(WordSpan{command.data(), command.size()})) {
        throw LinkError{fmt::format("the device's command set refuses a command of our own: {}", walk_.error().field)};
    }
    trace_.cost_cycles += walk_.command().cost_cycles;
    trace_.command_count += 1U;
    words_.insert(words_.end(), command.begin(), command.end());
}

}  // namespace pianola::capture
