#include "capture_host/decompile/expressions.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <stdexcept>

#include "capture_host/binary/openssl_digest.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "hal/devices/refdev/kernels/packed_weights.h"

namespace pianola::decompile {
namespace {

void append_word(std::vector<std::uint8_t>& bytes, std::uint32_t word) {
    for (std::uint32_t i = 0U; i < sizeof(word); ++i) {
        bytes.push_back(static_cast<std::uint8_t>((word >> (i * kByteBits)) & UINT8_MAX));
    }
}

void append_words(std::vector<std::uint8_t>& bytes, const std::vector<std::uint32_t>& words) {
    append_word(bytes, static_cast<std::uint32_t>(words.size()));
    for (const std::uint32_t word : words) {
        append_word(bytes, word);
    }
}

// How many words and operands' bytes differ; of the bytes each operand counts once.
std::size_t distance(const Computation& a, const Computation& b) {
    std::size_t count = 0U;
    for (std::size_t i = 0U; (i < a.words.size()) && (i < b.words.size()); ++i) {
        count += (a.words[i] == b.words[i]) ? 0U : 1U;
    }
    for (std::size_t i = 0U; i < a.operands.size(); ++i) {
        count += ((i < b.operands.size()) && (a.operands[i] == b.operands[i])) ? 0U : 1U;
    }
    return count;
}

std::string token_text(Token token) {
    if (token == kUndefined) {
        return "nothing written";
    }
    return (token < kUndefined) ? fmt::format("{}", token) : std::string{"another computed byte"};
}

// The place of a byte in a layer's channel table.
std::string table_text(std::size_t byte, std::size_t bias_bytes, bool is_packed) {
    constexpr std::array<const char*, 3> kParts{"bias", "multiplier", "shift"};
    constexpr std::size_t kWord = sizeof(std::uint32_t);
    const std::size_t row = bias_bytes + (2U * kWord);
    if (is_packed) {  // consecutive parts of one group of channels
        const std::size_t group = std::size_t{refdev::kPackedGroup} * row;
        const std::size_t word = (byte % group) / kWord;
        return fmt::format("channel {}, {}", ((byte / group) * refdev::kPackedGroup) + (word % refdev::kPackedGroup),
                           kParts.at(word / refdev::kPackedGroup));
    }
    const std::size_t at = byte % row;
    return fmt::format("channel {}, {}", byte / row,
                       (at < bias_bytes) ? kParts[0] : kParts.at(1U + ((at - bias_bytes) / kWord)));
}

// The layers that have a channel table, how wide its biases are, and where the layout of the weights is named.
struct LayerForm {
    refdev::KernelId kernel;
    std::size_t wide_word;    // holds the bytes of biases; 0: there are 4
    std::size_t layout_word;  // 0: it is the plain one
};
constexpr std::array<LayerForm, 6> kLayerForms{
    {{refdev::KernelId::kConv2d, 0U, refdev::word_of(offsetof(refdev::Conv2dArguments, weights_layout))},
     {refdev::KernelId::kDepthwiseConv2d, 0U, 0U},
     {refdev::KernelId::kFullyConnected, 0U,
      refdev::word_of(offsetof(refdev::FullyConnectedArguments, weights_layout))},
     {refdev::KernelId::kConv2dInt16, refdev::word_of(offsetof(refdev::Conv2dInt16Arguments, sum_bytes)), 0U},
     {refdev::KernelId::kDepthwiseConv2dInt16,
      refdev::word_of(offsetof(refdev::DepthwiseConv2dInt16Arguments, sum_bytes)), 0U},
     {refdev::KernelId::kFullyConnectedInt16,
      refdev::word_of(offsetof(refdev::FullyConnectedInt16Arguments, sum_bytes)), 0U}}};

std::string place_text(const Computation& computation, std::size_t operand, std::size_t byte) {
    constexpr std::uint32_t kTableOperand = 2U;
    for (const LayerForm& form : kLayerForms) {
        if (computation.kernel != static_cast<std::uint32_t>(form.kernel)) {
            continue;
        }
        if (operand == 1U) {
            return fmt::format("weights, byte {}", byte);
        }
        if (operand == kTableOperand) {
            return table_text(byte,
                              (form.wide_word == 0U) ? sizeof(std::int32_t) : computation.words.at(form.wide_word),
                              (form.layout_word != 0U) && (computation.words.at(form.layout_word) != 0U));
        }
    }
    return fmt::format("operand {}, byte {}", operand, byte);
}

std::string first_difference(const Computation& have, const Computation& want) {
    for (std::size_t i = 0U; (i < have.words.size()) && (i < want.words.size()); ++i) {
        if (have.words[i] != want.words[i]) {
            return fmt::format("argument word {}: {} in the binary, {} by the model", i,
                               static_cast<std::int32_t>(have.words[i]), static_cast<std::int32_t>(want.words[i]));
        }
    }
    for (std::size_t i = 0U; (i < have.operands.size()) && (i < want.operands.size()); ++i) {
        for (std::size_t at = 0U; (at < have.operands[i].size()) && (at < want.operands[i].size()); ++at) {
            if (have.operands[i][at] != want.operands[i][at]) {
                return fmt::format("{}: {} in the binary, {} by the model", place_text(have, i, at),
                                   token_text(have.operands[i][at]), token_text(want.operands[i][at]));
            }
        }
    }
    return "sizes differ";
}

}  // namespace

Expressions::Key Expressions::key_of(const Computation& computation) {
    std::vector<std::uint8_t> bytes;
    append_word(bytes, computation.kernel);
    append_words(bytes, computation.words);
    append_word(bytes, static_cast<std::uint32_t>(computation.output_bytes));
    for (const Tokens& operand : computation.operands) {
        append_words(bytes, operand);
    }
    return signing::openssl_sha256({bytes.data(), bytes.size()});
}

Tokens Expressions::fresh(std::size_t bytes) {
    if (bytes > (UINT32_MAX - next_)) {
        throw std::length_error{"the model has too many bytes of activations"};
    }
    Tokens tokens(bytes);
    std::iota(tokens.begin(), tokens.end(), next_);
    next_ += static_cast<Token>(bytes);
    return tokens;
}

Tokens Expressions::define(const Computation& computation, const std::vector<Computation>& forms, std::uint32_t index) {
    std::vector<Computation> same{computation};
    same.insert(same.end(), forms.begin(), forms.end());
    // A launch determines its result: an operator that shares a form with an earlier one computes the same.
    Key key = key_of(computation);
    for (const Computation& form : same) {
        const auto known = forms_.find(key_of(form));
        if (known != forms_.end()) {
            key = known->second;
            break;
        }
    }
    Entry& entry = entries_[key];
    if (entry.operators.empty()) {
        entry.output = fresh(computation.output_bytes);
    }
    for (const Computation& form : same) {
        if (forms_.emplace(key_of(form), key).second) {  // not known already
            entry.forms.push_back(form);
        }
    }
    entry.operators.push_back(index);
    return entry.output;
}

const Tokens* Expressions::match(const Computation& computation) {
    const auto found = forms_.find(key_of(computation));
    if (found == forms_.end()) {
        return nullptr;
    }
    Entry& entry = entries_[found->second];
    matched_ = entry.operators[std::min(entry.matches, entry.operators.size() - 1U)];
    entry.matches += 1U;
    match_count_ += 1U;
    return &entry.output;
}

std::string Expressions::explain(const Computation& computation) const {
    const Entry* nearest = nullptr;
    const Computation* wanted = nullptr;
    std::size_t least = SIZE_MAX;
    for (const auto& [key, entry] : entries_) {
        if ((entry.forms.front().kernel != computation.kernel) || (entry.matches >= entry.operators.size())) {
            continue;
        }
        for (const Computation& form : entry.forms) {
            const std::size_t count = distance(computation, form);
            if ((count < least) || ((count == least) && (entry.operators.front() < nearest->operators.front()))) {
                least = count;
                nearest = &entry;
                wanted = &form;
            }
        }
    }
    if (nearest == nullptr) {
        return "no operator that is left is computed by such a kernel";
    }
    return fmt::format("nearest is operator {}: {}", nearest->operators.front(),
                       first_difference(computation, *wanted));
}

void Expressions::forget_matches() {
    for (auto& [key, entry] : entries_) {
        entry.matches = 0U;
    }
}

void Expressions::forget_operators() {
    entries_.clear();
    forms_.clear();
}

std::map<std::uint32_t, std::string> Expressions::miscounted() const {
    std::map<std::uint32_t, std::string> found;
    for (const auto& [key, entry] : entries_) {
        if (entry.matches < entry.operators.size()) {
            found[entry.operators.at(entry.matches)] = "not computed";
        } else if (entry.matches > entry.operators.size()) {
            found[entry.operators.back()] =
                fmt::format("computed {} times too often", entry.matches - entry.operators.size());
        } else {
            // It is equal, as it must be.
        }
    }
    return found;
}

}  // namespace pianola::decompile
