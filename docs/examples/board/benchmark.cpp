// The binary of own_model.cpp with the commands of a benchmark's host: name, input, repeated inferences, results. The
// binary is validated, loaded and self-tested at start-up. toolchains/run_benchmark.py is a host; docs/guide/boards.md
// explains both. The console is that of semihosting; a product has a serial port in its place.
//
// PIANOLA_BENCHMARK_MODEL is the benchmark's name for the model and decides the format of inputs and results:
//   ad01          input: float32, quantized here; result: the mean square of output minus input
//   ic01, vww01   input: unsigned pixels, moved to int8 here; results: every output as a real number
//   any other     input: the tensors' own bytes; results: every output as a real number
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "docs/examples/board/benchmark_protocol.h"
#include "docs/examples/board/benchmark_real.h"
#include "hal/boards/common/board.h"
#include "hal/boards/common/board_device.h"
#include "hal/boards/common/board_link.h"
#include "hal/boards/common/board_platform.h"
#include "hal/boards/common/semihosting.h"
#include "hal/boards/common/shared_memory.h"
#include "hal/devices/refdev/refdev_command_set.h"
#include "own_model.h"           // made by `pianola embed`: the binary's symbols
#include "own_model_manifest.h"  // made by `pianola size --header`: what it needs
#include "pianola/development_config.h"
#include "pianola/session.h"

namespace {

namespace benchmark = pianola::benchmark;
namespace board = pianola::board;
namespace manifest = pianola::manifest::own_model;
namespace semihosting = pianola::semihosting;
using pianola::ByteSpan;
using pianola::ElementType;
using pianola::MutableByteSpan;
using pianola::TensorView;

enum ExitCode : std::int32_t { kDone = 0, kNoConsole = 2, kNotLoaded = 3, kNotConfirmed = 5 };

template <std::size_t kCount>
constexpr std::uint32_t sum(const std::array<std::uint32_t, kCount>& sizes) noexcept {
    std::uint32_t total = 0U;
    for (const std::uint32_t size : sizes) {
        total += size;
    }
    return total;
}
constexpr std::uint32_t kInputBytes = sum(manifest::kInputBytes);
constexpr std::uint32_t kOutputBytes = sum(manifest::kOutputBytes);

constexpr bool is_model(const char* name) noexcept {
    constexpr const char* kModel = PIANOLA_BENCHMARK_MODEL;
    std::size_t i = 0U;
    while ((kModel[i] != '\0') && (kModel[i] == name[i])) {
        ++i;
    }
    return kModel[i] == name[i];
}
constexpr bool kTakesReals = is_model("ad01");
constexpr bool kTakesPixels = is_model("ic01") || is_model("vww01");
constexpr std::uint32_t kRealBytes = 4U;
constexpr std::uint32_t kHostInputBytes = kTakesReals ? (kRealBytes * kInputBytes) : kInputBytes;

class EcuPlatform final : public board::BoardPlatform {
  public:
    EcuPlatform() = default;
    ~EcuPlatform() = default;
    EcuPlatform(const EcuPlatform&) = delete;
    EcuPlatform(EcuPlatform&&) = delete;
    EcuPlatform& operator=(const EcuPlatform&) = delete;
    EcuPlatform& operator=(EcuPlatform&&) = delete;

    void serve_watchdog() noexcept override {}
    pianola::Status lowest_security_version(std::uint32_t& version) noexcept override {
        version = 0U;
        return pianola::Status::kOk;
    }
    pianola::Status raise_security_version(std::uint32_t /*version*/) noexcept override { return pianola::Status::kOk; }
    void enter_safe_state(const pianola::FaultRecord& /*fault*/) noexcept override {
        semihosting::print("m-[Safe state]\r\n");
    }
};

std::uint32_t little_endian(ByteSpan bytes) noexcept {
    std::uint32_t value = 0U;
    for (std::size_t i = bytes.size(); i > 0U; --i) {
        value = (value << 8U) | bytes[i - 1U];
    }
    return value;
}

// The bytes of element `index`, as they are stored.
std::uint32_t element(ByteSpan tensor, ElementType type, std::size_t index) noexcept {
    const std::size_t size = pianola::element_bytes(type);
    return little_endian(tensor.subspan(index * size, size));
}

std::size_t element_count(std::size_t bytes, ElementType type) noexcept {
    const std::size_t size = pianola::element_bytes(type);
    return (size == 0U) ? 0U : (bytes / size);
}

// The real number for which an element stands.
benchmark::Real real(const TensorView& tensor, std::uint32_t stored) noexcept {
    constexpr std::uint32_t kOne = 0x3F80'0000U;  // of float32
    const std::uint32_t bits = benchmark::bits_of(tensor.scale);
    const benchmark::Real scale = benchmark::real_of((bits == 0U) ? kOne : bits);
    switch (tensor.type) {
        case ElementType::kFloat32:
            return benchmark::real_of(stored);
        case ElementType::kBfloat16:
            return benchmark::real_of(stored << 16U);
        case ElementType::kInt8:
            return benchmark::product(scale, std::int64_t{static_cast<std::int8_t>(stored)} - tensor.zero_point);
        case ElementType::kInt16:
            return benchmark::product(scale, std::int64_t{static_cast<std::int16_t>(stored)} - tensor.zero_point);
        case ElementType::kInt32:
            return benchmark::product(scale, std::int64_t{static_cast<std::int32_t>(stored)} - tensor.zero_point);
        default:
            return benchmark::product(scale, std::int64_t{stored} - tensor.zero_point);
    }
}

const char* name_of(ElementType type) noexcept {
    constexpr std::array<const char*, 10U> kNames{"unspecified", "int8", "uint8",  "int16",  "int32",
                                                  "float32",     "bool", "uint16", "uint32", "bfloat16"};
    static_assert(kNames.size() == pianola::kElementBytes.size());
    return kNames[static_cast<std::size_t>(type)];
}

void print_tensor(const char* before, const TensorView& tensor, std::uint32_t bytes) noexcept {
    const std::int64_t zero_point = tensor.zero_point;
    semihosting::print(before);
    semihosting::print(name_of(tensor.type));
    semihosting::print(",");
    semihosting::print_hex(benchmark::bits_of(tensor.scale));
    semihosting::print((zero_point < 0) ? ",-" : ",");
    semihosting::print_number(static_cast<std::uint64_t>((zero_point < 0) ? -zero_point : zero_point));
    semihosting::print(",");
    semihosting::print_number(element_count(bytes, tensor.type));
    semihosting::print("]\r\n");
}

class BoardModel final : public benchmark::Model {
  public:
    BoardModel(pianola::Session& session, board::BoardPlatform& platform) noexcept
        : session_{session}, platform_{platform} {}
    ~BoardModel() = default;
    BoardModel(const BoardModel&) = delete;
    BoardModel(BoardModel&&) = delete;
    BoardModel& operator=(const BoardModel&) = delete;
    BoardModel& operator=(BoardModel&&) = delete;

    // After load(), while the workspace that describes the file is still intact.
    void describe(const pianola::Image& image) noexcept {
        for (std::uint32_t i = 0U; i < input_tensors_.size(); ++i) {
            input_tensors_[i] = image.input(i);
        }
        for (std::uint32_t i = 0U; i < output_tensors_.size(); ++i) {
            output_tensors_[i] = image.output(i);
        }
    }

    [[nodiscard]] const char* device_name() const noexcept override { return board::name(); }
    [[nodiscard]] const char* model_name() const noexcept override { return PIANOLA_BENCHMARK_MODEL; }
    [[nodiscard]] std::uint64_t now_us() noexcept override { return platform_.now_us(); }

    // Of each tensor: type, bits of the scale, zero point, number of elements. With them a host finds the stored number
    // of a result, and compares exactly.
    void print_tensors() const noexcept override {
        semihosting::print("m-input-bytes-[");
        semihosting::print_number(kHostInputBytes);
        semihosting::print("]\r\n");
        for (std::size_t i = 0U; i < input_tensors_.size(); ++i) {
            print_tensor("m-input-[", input_tensors_[i], manifest::kInputBytes[i]);
        }
        for (std::size_t i = 0U; i < output_tensors_.size(); ++i) {
            print_tensor("m-output-[", output_tensors_[i], manifest::kOutputBytes[i]);
        }
    }

    void load(ByteSpan input) noexcept override {
        host_input_ = input;
        for (std::size_t i = 0U; i < input_.size(); ++i) {
            input_[i] = stored_input(i);
        }
    }

    [[nodiscard]] bool infer() noexcept override {
        std::array<ByteSpan, manifest::kInputBytes.size()> inputs;
        std::size_t at = 0U;
        for (std::size_t i = 0U; i < inputs.size(); ++i) {
            inputs[i] = ByteSpan{input_.data(), input_.size()}.subspan(at, manifest::kInputBytes[i]);
            at += manifest::kInputBytes[i];
        }
        std::array<MutableByteSpan, manifest::kOutputBytes.size()> outputs;
        at = 0U;
        for (std::size_t i = 0U; i < outputs.size(); ++i) {
            outputs[i] = MutableByteSpan{output_.data(), output_.size()}.subspan(at, manifest::kOutputBytes[i]);
            at += manifest::kOutputBytes[i];
        }
        return is_ok(
            session_.run(pianola::Span<const ByteSpan>{inputs}, pianola::Span<const MutableByteSpan>{outputs}));
    }

    void print_results() const noexcept override {
        benchmark::MeanSquare error;
        std::size_t at = 0U;
        for (std::size_t i = 0U; i < output_tensors_.size(); ++i) {
            const TensorView& tensor = output_tensors_[i];
            const ByteSpan bytes = ByteSpan{output_.data(), output_.size()}.subspan(at, manifest::kOutputBytes[i]);
            const std::size_t elements = element_count(bytes.size(), tensor.type);
            for (std::size_t k = 0U; k < elements; ++k) {
                const benchmark::Real result = real(tensor, element(bytes, tensor.type, k));
                if constexpr (kTakesReals) {
                    error.add(result, host_real(k));
                } else {
                    semihosting::print(((at + k) == 0U) ? "" : ",");
                    benchmark::print_real(result);
                }
            }
            at += bytes.size();
        }
        if constexpr (kTakesReals) {
            benchmark::print_real(error.mean());
        }
    }

  private:
    // An autoencoder of int8: as many outputs as inputs.
    static_assert(!kTakesReals || ((manifest::kInputBytes.size() == 1U) && (kInputBytes == kOutputBytes)));

    // A byte of the inputs, from what the host has sent.
    [[nodiscard]] std::uint8_t stored_input(std::size_t index) const noexcept {
        if constexpr (kTakesReals) {
            const TensorView& tensor = input_tensors_[0];
            const benchmark::Real scale = benchmark::real_of(benchmark::bits_of(tensor.scale));
            return static_cast<std::uint8_t>(benchmark::quantized(host_real(index), scale, tensor.zero_point));
        } else {
            constexpr std::uint8_t kMiddle = kTakesPixels ? 0x80U : 0U;  // the pixel that int8 stores as 0
            return static_cast<std::uint8_t>(host_input_[index] ^ kMiddle);
        }
    }
    [[nodiscard]] benchmark::Real host_real(std::size_t index) const noexcept {
        return benchmark::real_of(element(host_input_, ElementType::kFloat32, index));
    }

    pianola::Session& session_;
    board::BoardPlatform& platform_;
    std::array<TensorView, manifest::kInputBytes.size()> input_tensors_{};
    std::array<TensorView, manifest::kOutputBytes.size()> output_tensors_{};
    ByteSpan host_input_;
    std::array<std::uint8_t, kInputBytes> input_{};
    std::array<std::uint8_t, kOutputBytes> output_{};
};

ExitCode run_application() noexcept {
    static board::BoardLink link{manifest::kDeviceSpec, board::shared_state()};
    static board::BoardDevice device{manifest::kDeviceSpec, board::shared_state(), link};
    static EcuPlatform platform;
    static const pianola::refdev::RefdevCommandSet kCommandSet{*manifest::kDeviceSpec.cost_model};
    static pianola::Session session{device, platform, kCommandSet, pianola::kDevelopmentConfig};
    static pianola::PlanWorkspace workspace;
    static pianola::Verdict verdict;

    board::start_device_cores();
    const ByteSpan binary{&own_model[0], sizeof(own_model)};
    if (!is_ok(session.load(binary, workspace, verdict))) {
        semihosting::print("e-[Not loaded: ");
        semihosting::print(pianola::rule_id(verdict.rule));
        semihosting::print("]\r\n");
        return kNotLoaded;
    }
    static BoardModel model{session, platform};
    model.describe(workspace.image);
    static std::array<std::uint8_t, kOutputBytes> scratch;
    if (!is_ok(session.self_test(MutableByteSpan{scratch.data(), scratch.size()}))) {
        semihosting::print("e-[Self-test failed]\r\n");
        return kNotConfirmed;
    }
    static std::array<std::uint8_t, kHostInputBytes> host_input;
    static benchmark::Protocol protocol{model, MutableByteSpan{host_input.data(), host_input.size()}};
    static semihosting::ConsoleInput console;
    if (!console.open()) {
        semihosting::print("e-[No console to read from]\r\n");
        return kNoConsole;
    }
    protocol.begin();
    char character = '\0';
    while (console.read(character)) {  // as long as the host is there
        protocol.take(character);
    }
    return kDone;
}

}  // namespace

// Protection is not set up: nothing gets here.
extern "C" bool pianola_on_violation(std::uintptr_t /*address*/, std::uintptr_t /*instruction*/) noexcept {
    return false;
}

int main() {
    semihosting::exit(run_application());
}
