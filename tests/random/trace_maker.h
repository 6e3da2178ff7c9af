// TraceMaker: the words of random traces, by docs/reference/device.md.
//
// The maker's second half. Most commands read what has been written, and write what they may.
#pragma once

#include <set>

#include "tests/random/program.h"
#include "tests/support/random.h"

namespace pianola::programs {

class TraceMaker {
  public:
    TraceMaker(test::Random& random, Program& program) : random_{random}, program_{program} {}

    void note_written(const Pieces& pieces);
    // A trace of some commands, and where `outputs`, of one that gives each output a value.
    void make(std::uint32_t trace, bool outputs);
    // Declares a word or two of the traces as parameters.
    void declare_parameters();

  private:
    using Words = std::vector<std::uint32_t>;
    struct Candidate {  // for a parameter
        Point point;
        bool is_address{false};
        bool is_byte{false};
        std::uint32_t alignment{1U};
    };
    struct Operation {  // a kernel's launch, or a command of its own
        std::uint32_t opcode{0U};
        Words words;               // behind the head
        std::uint64_t cycles{0U};  // of the kernel, or the command
        std::vector<Range> reads;
        std::vector<Range> writes;
        std::vector<std::uint32_t> addresses;  // words that hold one
        std::uint32_t value{UINT32_MAX};       // a word that may vary
        std::uint32_t alignment{1U};           // of the addresses
    };

    [[nodiscard]] bool writable(Role role) const;
    [[nodiscard]] bool is_constant(const Range& range) const;
    [[nodiscard]] bool is_written(const Range& range) const;
    [[nodiscard]] std::optional<Range> any_range(std::uint32_t bytes, std::uint32_t alignment, bool writes);
    [[nodiscard]] std::optional<Range> source(std::uint32_t bytes, std::uint32_t alignment);
    [[nodiscard]] std::optional<Range> target(std::uint32_t bytes, std::uint32_t alignment);
    void finish_kernel(Operation& operation, std::uint32_t operations) const;
    [[nodiscard]] std::optional<Operation> fill(const Range& to);
    [[nodiscard]] std::optional<Operation> copy(const Range& to);
    [[nodiscard]] std::optional<Operation> elementwise(const Range& to);
    [[nodiscard]] std::optional<Operation> gather(const Range& to);
    [[nodiscard]] std::optional<Operation> words_kernel();
    [[nodiscard]] std::optional<Operation> any_operation(const Range& to);
    void append(std::uint32_t index, const Operation& operation);
    void append_bare(std::uint32_t index, std::uint32_t opcode);

    test::Random& random_;
    Program& program_;
    std::set<std::uint32_t> written_;  // addresses of bytes
    std::vector<Candidate> candidates_;
    // Of the trace that is made: docs/reference/device.md, "Cost model".
    std::uint64_t time_{0U};
    std::array<std::uint64_t, kCores> core_free_{};
};

}  // namespace pianola::programs
