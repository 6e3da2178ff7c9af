// Launches: what a device command does to symbolic memory.
//
// The binary's side of decompile. Kernels that move bytes move numbers; every other launch must be a computation that
// the model defines.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>

#include "capture_host/decompile/expressions.h"
#include "pianola/command_set.h"
#include "pianola/span.h"

namespace pianola::decompile {

// SymbolicMemory: a device's memory, with a number for each byte.
// What a step finds, and what the next one finds in its place: the inputs of the two inferences.
using Successors = std::set<std::pair<Token, Token>>;

class SymbolicMemory {
  public:
    void add_region(std::uint32_t base, std::uint32_t size_bytes);

    // Throw std::out_of_range outside the regions, which the validator excludes.
    [[nodiscard]] Tokens read(std::uint32_t address, std::size_t size_bytes) const;
    [[nodiscard]] Tokens read(const Extent& extent) const;  // run after run
    void write(std::uint32_t address, const Tokens& tokens);
    void write(std::uint32_t address, ByteSpan bytes);

    // Keeps what holds before every step: a byte that the step has changed, other than to its successor, becomes
    // undefined. `before` is the memory before the step. False if no further byte became undefined.
    bool keep_invariant(const SymbolicMemory& before, const Successors& successors);

  private:
    [[nodiscard]] const Tokens& region(std::uint32_t address, std::size_t size_bytes, std::size_t& offset) const;

    std::map<std::uint32_t, Tokens> regions_;  // by base
};

// A command that is not what the model says, or that nothing is known of.
class Mismatch : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

// Throws Mismatch. `words` are the command's; it is one that the command set accepts.
void run_command(WordSpan words, const DecodedCommand& command, SymbolicMemory& memory, Expressions& expressions);

}  // namespace pianola::decompile
