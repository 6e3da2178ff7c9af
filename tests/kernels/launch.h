// What the tests of the kernels share: a small device memory, launches of every kernel, and the published rescaling
// formula.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "hal/devices/refdev/costs/cost_models.h"
#include "hal/devices/refdev/kernels/arguments.h"
#include "hal/devices/refdev/kernels/device_memory.h"
#include "hal/devices/refdev/kernels/kernel.h"
#include "tests/kernels/published.h"

namespace pianola::refdev {

using Words = std::vector<std::uint32_t>;

inline constexpr std::uint32_t kBase = 0x2000'0000U;

inline WordSpan span_of(const Words& words) {
    return WordSpan{words.data(), words.size()};
}

template <typename Arguments>
Words words_of(const Arguments& arguments) {
    Words words(kArgumentWords<Arguments>);
    std::memcpy(words.data(), &arguments, sizeof(Arguments));
    return words;
}

inline const Kernel& kernel(KernelId id) {
    return *find_kernel(static_cast<std::uint32_t>(id));
}

// A device with one region that it may read and write.
class SmallDevice {
  public:
    explicit SmallDevice(std::uint32_t size_bytes) : bytes_(size_bytes) { program(true, true); }

    void program(bool reads, bool writes) {
        memory_.clear();
        const Status status = memory_.program(
            MemoryRegion{kBase, static_cast<std::uint32_t>(bytes_.size()), bytes_.data(), reads, writes});
        if (!is_ok(status)) {
            throw std::runtime_error("region");
        }
    }
    void randomise(std::mt19937& random) {
        for (std::uint8_t& byte : bytes_) {
            byte = static_cast<std::uint8_t>(random() & 0xFFU);
        }
    }
    std::uint8_t& at(std::uint32_t address) { return bytes_.at(address - kBase); }
    std::int8_t element(std::uint32_t address) { return static_cast<std::int8_t>(at(address)); }
    void store_channel(std::uint32_t address, const ChannelParameters& parameters) {
        std::memcpy(&bytes_.at(address - kBase), &parameters, sizeof(parameters));
    }
    ChannelParameters channel(std::uint32_t address) {
        ChannelParameters parameters{};
        std::memcpy(&parameters, &bytes_.at(address - kBase), sizeof(parameters));
        return parameters;
    }
    std::int32_t word(std::uint32_t address) {
        std::int32_t value = 0;
        std::memcpy(&value, &bytes_.at(address - kBase), sizeof(value));
        return value;
    }
    void store_word(std::uint32_t address, std::int32_t value) {
        std::memcpy(&bytes_.at(address - kBase), &value, sizeof(value));
    }
    // Element of a tensor of the type of an argument word: of int8, int16 or int32.
    std::int32_t typed(std::uint32_t type, std::uint32_t tensor, std::uint32_t index) {
        if (type == kTypeInt16) {
            std::int16_t value = 0;
            std::memcpy(&value, &at(tensor + (2U * index)), sizeof(value));
            return value;
        }
        return (type == kTypeInt8) ? element(tensor + index) : word(tensor + (4U * index));
    }
    // Random words and bytes, every other one an extreme of its type.
    void randomise_with_extremes(std::mt19937& random, std::uint32_t type);
    std::vector<std::uint8_t>& bytes() { return bytes_; }

    Status run(KernelId id, const Words& words) { return refdev::run(kernel(id), span_of(words), memory_); }

  private:
    std::vector<std::uint8_t> bytes_;
    DeviceMemory memory_;
};

// A correct launch of every kernel, or several. All operands lie in the 3,200 bytes from kBase.
struct Sample {
    KernelId id;
    Words words;
    const char* variant = "";
};

std::vector<Sample> layer_launches();   // of the quantised kernels
std::vector<Sample> int16_launches();   // of those for int16 activations
std::vector<Sample> plain_launches();   // of all others
std::vector<Sample> sample_launches();  // of all
std::string sample_name(const Sample& sample);

// The first of the kernel's.
template <typename Arguments>
Arguments sample_arguments(KernelId id, const std::vector<Sample>& samples = sample_launches()) {
    for (const Sample& sample : samples) {
        if (sample.id == id) {
            return arguments_from_words<Arguments>(span_of(sample.words));
        }
    }
    throw std::runtime_error("no sample");
}

}  // namespace pianola::refdev
