#include "tests/random/emulator.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

namespace pianola::programs {
namespace {

constexpr std::uint32_t kInt8 = 1U;

std::uint32_t word_at(const Bytes& bytes, std::size_t offset) {
    std::uint32_t word = 0U;
    for (std::size_t i = 4U; i > 0U; --i) {
        word = (word << 8U) | bytes.at(offset + i - 1U);
    }
    return word;
}

// docs/reference/format.md: the segment table lies at 80, 12 bytes for each segment: kind, offset, size.
std::size_t segment_at(const Bytes& file, std::size_t number) {
    return word_at(file, 80U + (number * 12U) + 4U);
}

}  // namespace

Emulator::Emulator(const Program& program, const Bytes& file, std::uint8_t garbage, bool lie)
    : program_{&program}, lie_{lie} {
    dram_.fill(garbage);
    l1_.fill(garbage);
    std::size_t weight = segment_at(file, 1U);
    for (const Range& constant : program.constants) {
        std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(weight), constant.bytes,
                    at(constant.address, constant.bytes));
        weight += constant.bytes;
    }
    std::size_t word = segment_at(file, 2U);
    for (const Trace& trace : program.traces) {
        std::vector<std::uint32_t>& words = traces_.emplace_back();
        for (std::size_t i = 0U; i < trace.words.size(); ++i) {
            words.push_back(word_at(file, word + (4U * i)));
        }
        word += ((4U * words.size()) + 63U) / 64U * 64U;
    }
}

void Emulator::set_parameter(std::size_t index, std::uint32_t value) {
    for (const Point& point : program_->parameters.at(index).points) {
        traces_.at(point.trace).at(point.word) = value;
    }
}

Tensors Emulator::run(const Script& script, const Tensors& inputs) {
    Tensors outputs;
    for (const Command& command : script) {
        if (command.act == Act::kWriteInput) {
            const std::uint8_t* from = inputs.at(command.object).data();
            for (const Range& piece : program_->inputs.at(command.object)) {
                std::copy_n(from, piece.bytes, at(piece.address, piece.bytes));
                from += piece.bytes;
            }
        } else if (command.act == Act::kReplay) {
            replay(traces_.at(command.object));
        } else if (command.act == Act::kReadOutput) {
            outputs.resize(program_->outputs.size());
            for (const Range& piece : program_->outputs.at(command.object)) {
                const std::uint8_t* const from = at(piece.address, piece.bytes);
                outputs.at(command.object).insert(outputs.at(command.object).end(), from, from + piece.bytes);
            }
        } else {
            // Records and waits change no bytes.
        }
    }
    return outputs;
}

std::uint8_t* Emulator::at(std::uint32_t address, std::uint32_t bytes) {
    if ((address >= kDramBase) && ((address - kDramBase + bytes) <= kDramBytes)) {
        return dram_.data() + (address - kDramBase);
    }
    if ((address >= kL1Base) && ((address - kL1Base + bytes) <= kL1Bytes)) {
        return l1_.data() + (address - kL1Base);
    }
    throw std::out_of_range{"an address outside the memories"};
}

std::int32_t Emulator::element(std::uint32_t address, std::uint32_t index, std::uint32_t type) {
    if (type == kInt8) {
        return static_cast<std::int8_t>(*at(address + index, 1U));
    }
    std::int32_t value = 0;
    std::memcpy(&value, at(address + (4U * index), 4U), 4U);
    return value;
}

// int8 saturates, int32 wraps.
void Emulator::store(std::uint32_t address, std::uint32_t index, std::uint32_t type, std::int64_t value) {
    if (type == kInt8) {
        *at(address + index, 1U) = static_cast<std::uint8_t>(std::clamp<std::int64_t>(value, -128, 127));
        return;
    }
    const auto word = static_cast<std::uint32_t>(value);
    std::memcpy(at(address + (4U * index), 4U), &word, 4U);
}

void Emulator::replay(const std::vector<std::uint32_t>& words) {
    std::size_t i = 0U;
    while (i < words.size()) {
        const std::uint32_t* const command = &words.at(i);
        const std::uint32_t length = command[0] >> 16U;
        switch (command[0] & 0xFFU) {
            case 0x17U:
                launch(command[1], command + 3);
                break;
            case 0xC3U:
                launch(command[2], command + 4);
                break;
            case 0x2BU:
                std::memmove(at(command[1], command[3]), at(command[2], command[3]), command[3]);
                break;
            case 0x3CU:
                std::memset(at(command[1], command[2]), static_cast<int>(command[3]), command[2]);
                break;
            case 0x4DU:
                break;
            case 0x5AU:
                return;
            default:
                throw std::runtime_error{"an unknown command"};
        }
        i += length;
    }
    throw std::runtime_error{"a trace without its end"};
}

void Emulator::launch(std::uint32_t kernel, const std::uint32_t* words) {
    switch (kernel) {
        case 11U:
            std::memmove(at(words[1], words[2]), at(words[0], words[2]), words[2]);
            break;
        case 12U:
            for (std::uint32_t i = 0U; i < (words[1] / 4U); ++i) {
                std::memcpy(at(words[0] + (4U * i), 4U), &words[2], 4U);
            }
            break;
        case 13U:
            gather(words);
            break;
        case 14U: {
            const auto scalar = static_cast<std::int32_t>(words[5]);
            for (std::uint32_t i = 0U; i < words[2]; ++i) {
                const std::int64_t x = element(words[0], i, words[3]);
                const std::array<std::int64_t, 8> results{
                    0, x, -x, (x < 0) ? -x : x, (x < 0) ? 0 : x, x + scalar, x * scalar, x * x};
                store(words[1], i, words[3], results.at(words[4]));
            }
            break;
        }
        case 15U:
            for (std::uint32_t i = 0U; i < words[3]; ++i) {
                const std::int64_t a = element(words[0], i, words[4]);
                const std::int64_t b = element(words[1], i, words[4]);
                const std::array<std::int64_t, 7> results{
                    0, a + b + (lie_ ? 1 : 0), a - b, a * b, std::min(a, b), std::max(a, b), (a == b) ? 1 : 0};
                store(words[2], i, words[4], results.at(words[5]));
            }
            break;
        case 16U:
            matmul(words);
            break;
        case 17U:
            reduce(words);
            break;
        case 18U: {
            const std::int64_t old = (words[1] == 1U) ? 0 : element(words[0], 0U, 4U);
            store(words[0], 0U, 4U, old + words[2]);
            break;
        }
        default:
            throw std::runtime_error{"a kernel that no program uses"};
    }
}

void Emulator::gather(const std::uint32_t* words) {
    std::uint32_t to = words[0];
    for (std::uint32_t row = 0U; row < words[1]; ++row) {
        for (std::uint32_t i = 0U; i < words[2]; ++i) {
            const std::uint32_t* const segment = words + 3U + (std::size_t{3U} * i);
            std::memcpy(at(to, segment[2]), at(segment[0] + (row * segment[1]), segment[2]), segment[2]);
            to += segment[2];
        }
    }
}

// c[m][n] = a[m][k] x b[k][n]
void Emulator::matmul(const std::uint32_t* words) {
    const std::uint32_t rows = words[3];
    const std::uint32_t depth = words[4];
    const std::uint32_t columns = words[5];
    for (std::uint32_t i = 0U; i < rows; ++i) {
        for (std::uint32_t j = 0U; j < columns; ++j) {
            std::uint32_t sum =
                (words[7] != 0U) ? static_cast<std::uint32_t>(element(words[2], (i * columns) + j, 4U)) : 0U;
            for (std::uint32_t k = 0U; k < depth; ++k) {
                sum += static_cast<std::uint32_t>(element(words[0], (i * depth) + k, words[6])) *
                       static_cast<std::uint32_t>(element(words[1], (k * columns) + j, words[6]));
            }
            store(words[2], (i * columns) + j, 4U, sum);
        }
    }
}

void Emulator::reduce(const std::uint32_t* words) {
    const bool over_rows = words[6] == 0U;
    const std::uint32_t results = over_rows ? words[3] : words[2];
    const std::uint32_t terms = over_rows ? words[2] : words[3];
    for (std::uint32_t i = 0U; i < results; ++i) {
        std::int64_t result = 0;
        for (std::uint32_t j = 0U; j < terms; ++j) {
            const std::uint32_t index = over_rows ? ((j * words[3]) + i) : ((i * words[3]) + j);
            const std::int64_t x = element(words[0], index, words[4]);
            const std::array<std::int64_t, 4> next{0, result + x, std::max(result, x), std::min(result, x)};
            result = (j == 0U) ? x : next.at(words[5]);
        }
        store(words[1], i, 4U, result);
    }
}

}  // namespace pianola::programs
