// The device's side of the commands by which the public runner of MLPerf Tiny drives a small system: performance and
// accuracy modes. docs/guide/boards.md says what of the protocol is followed. Own code, written from the protocol.
//
// A command ends with '%'; carriage returns and line feeds are ignored. Every command is answered by lines that end
// with CR LF: first messages "m-..." or one error "e-[...]", then "m-ready". A refused command changes nothing. All
// memory is fixed, and every loop is bounded by the length of a command, of the input or by the command's own number.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "pianola/span.h"

namespace pianola::benchmark {

inline constexpr std::size_t kMaxCommandBytes = 80U;  // without its end
inline constexpr std::uint32_t kMaxRepeats = 1'000'000U;

// What is measured.
class Model {
  public:
    Model(const Model&) = delete;
    Model(Model&&) = delete;
    Model& operator=(const Model&) = delete;
    Model& operator=(Model&&) = delete;

    [[nodiscard]] virtual const char* device_name() const noexcept = 0;
    [[nodiscard]] virtual const char* model_name() const noexcept = 0;
    // What a host must know of the tensors, as messages.
    virtual void print_tensors() const noexcept = 0;
    // Microseconds since start-up.
    [[nodiscard]] virtual std::uint64_t now_us() noexcept = 0;
    // Takes over the input of the next inferences, in the benchmark's format and of input_bytes().
    virtual void load(ByteSpan input) noexcept = 0;
    [[nodiscard]] virtual bool infer() noexcept = 0;
    // The last inference's results as real numbers, separated by commas.
    virtual void print_results() const noexcept = 0;

  protected:
    Model() = default;
    ~Model() = default;
};

class Protocol {
  public:
    // `input` is where a host loads an input: as large as the model's.
    Protocol(Model& model, MutableByteSpan input) noexcept : model_{model}, input_{input} {}

    // The lines of start-up. Commands are taken afterwards.
    void begin() noexcept;
    // The next character from the host.
    void take(char character) noexcept;

  private:
    using Word = Span<const char>;
    struct Words {
        static constexpr std::size_t kMost = 4U;
        std::array<Word, kMost> word{};
        std::size_t count{0U};
        bool are_too_many{false};
    };

    [[nodiscard]] Words split() const noexcept;
    void answer() noexcept;
    void answer(const Words& words) noexcept;
    void data(const Words& words) noexcept;
    void start_load(const Words& words) noexcept;
    void load_bytes(Word digits) noexcept;
    void print_input(const Words& words) const noexcept;
    void infer(const Words& words) noexcept;
    void measure(std::uint32_t repeats, std::uint32_t warm_ups) noexcept;
    void print_results() const noexcept;

    Model& model_;
    MutableByteSpan input_;
    std::size_t expected_{0U};  // bytes that `db load` has announced
    std::size_t loaded_{0U};    // of them
    std::array<char, kMaxCommandBytes> command_{};
    std::size_t length_{0U};
    bool is_too_long_{false};
    bool has_results_{false};
};

}  // namespace pianola::benchmark
