// Expressions: what every byte of a device or of a model holds, as a number.
//
// The language in which decompile compares a binary with a model. A byte is a constant, a byte of an input, or a byte
// of what one computation gives; equal numbers are equal bytes, whatever the inputs are. Moving bytes moves their
// numbers. The model's operators define the computations that there are; a launch of the binary must be one of them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace pianola::decompile {

using Token = std::uint32_t;  // 0 to 255: the constant
using Tokens = std::vector<Token>;
inline constexpr std::uint32_t kByteBits = 8U;
inline constexpr Token kUndefined = 256U;  // nothing has written the byte

// One launch of a kernel that computes: its words, with 0 for addresses and for geometry that operands imply, the bytes
// that it reads, and how many it writes, all its outputs together.
struct Computation {
    std::uint32_t kernel{0U};
    std::vector<std::uint32_t> words;
    std::vector<Tokens> operands;
    std::size_t output_bytes{0U};
};

class Expressions {
  public:
    // Bytes that are like no others.
    [[nodiscard]] Tokens fresh(std::size_t bytes);

    // What operator `index` computes. Each of `forms` computes the same. Operators that share a form are alike.
    [[nodiscard]] Tokens define(const Computation& computation, const std::vector<Computation>& forms,
                                std::uint32_t index);

    // The same computation by the binary, counted. nullptr where no operator defines it: explain() says what is next to
    // it.
    [[nodiscard]] const Tokens* match(const Computation& computation);
    [[nodiscard]] std::string explain(const Computation& computation) const;
    // The operator that match() found last.
    [[nodiscard]] std::uint32_t matched_operator() const noexcept { return matched_; }

    // How many there have been.
    [[nodiscard]] std::size_t match_count() const noexcept { return match_count_; }

    // Before the binary runs a step.
    void forget_matches();
    // Before the model is evaluated for other inputs: what it computed of the last ones is no operator any more.
    void forget_operators();
    // Operators that the step has computed too often or not often enough, as text; the operator's index is the key.
    [[nodiscard]] std::map<std::uint32_t, std::string> miscounted() const;

  private:
    using Key = std::array<std::uint8_t, 32>;

    struct Entry {
        std::vector<Computation> forms;
        Tokens output;
        std::vector<std::uint32_t> operators;  // several if the model computes the same twice
        std::size_t matches{0U};
    };

    [[nodiscard]] static Key key_of(const Computation& computation);

    Token next_{kUndefined + 1U};
    std::uint32_t matched_{0U};
    std::size_t match_count_{0U};
    std::map<Key, Entry> entries_;  // by the first form
    std::map<Key, Key> forms_;      // each form's first one
};

}  // namespace pianola::decompile
