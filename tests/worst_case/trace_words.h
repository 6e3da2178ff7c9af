// Command words of a trace, written one by one.
//
// Costs of kernels come from the kernels themselves; that they are right is not the subject here.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "hal/devices/refdev/command_encoding.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"

namespace pianola::test {

class TraceWords {
  public:
    void barrier() { words_.push_back(header_word(refdev::Opcode::kBarrier, 1U)); }
    void end() { words_.push_back(header_word(refdev::Opcode::kEnd, 1U)); }
    void fill(std::uint32_t destination, std::uint32_t size_bytes) {
        append({header_word(refdev::Opcode::kFill, refdev::kFillWords), destination, size_bytes, 0U});
    }
    void copy(std::uint32_t destination, std::uint32_t source, std::uint32_t size_bytes) {
        append({header_word(refdev::Opcode::kCopy, refdev::kCopyWords), destination, source, size_bytes});
    }
    template <typename Arguments>
    void launch(refdev::KernelId kernel, const Arguments& arguments) {
        const std::vector<std::uint32_t> words = words_of(arguments);
        append({head(refdev::Opcode::kLaunch, refdev::kLaunchHeadWords, words), static_cast<std::uint32_t>(kernel),
                cost_of(kernel, words)});
        append(words);
    }
    template <typename Arguments>
    void dispatch(std::uint32_t core, refdev::KernelId kernel, const Arguments& arguments) {
        const std::vector<std::uint32_t> words = words_of(arguments);
        append({head(refdev::Opcode::kDispatch, refdev::kDispatchHeadWords, words), core,
                static_cast<std::uint32_t>(kernel), cost_of(kernel, words)});
        append(words);
    }
    void append(const std::vector<std::uint32_t>& words) { words_.insert(words_.end(), words.begin(), words.end()); }

    [[nodiscard]] const std::vector<std::uint32_t>& words() const noexcept { return words_; }
    [[nodiscard]] std::size_t size_bytes() const noexcept { return words_.size() * sizeof(std::uint32_t); }

  private:
    template <typename Arguments>
    [[nodiscard]] static std::vector<std::uint32_t> words_of(const Arguments& arguments) {
        std::vector<std::uint32_t> words(refdev::kArgumentWords<Arguments>);
        std::memcpy(words.data(), &arguments, sizeof(Arguments));
        return words;
    }
    [[nodiscard]] static std::uint32_t head(refdev::Opcode opcode, std::uint32_t head_words,
                                            const std::vector<std::uint32_t>& arguments) {
        return header_word(opcode, head_words + static_cast<std::uint32_t>(arguments.size()));
    }
    // Throws std::invalid_argument where the kernel does not accept its arguments.
    [[nodiscard]] static std::uint32_t cost_of(refdev::KernelId kernel, const std::vector<std::uint32_t>& arguments);

    std::vector<std::uint32_t> words_;
};

}  // namespace pianola::test
