// The model: programs on plain arrays.
#include <algorithm>
#include <map>

#include "tests/streams/program.h"
#include "tests/support/random.h"

namespace pianola::streams {
namespace {

int signed_of(std::uint8_t byte) {
    return (byte < 128U) ? int{byte} : (int{byte} - 256);
}

int result_of(Code code, int left, int right) {
    switch (code) {
        case Code::kSubtract:
            return left - right;
        case Code::kMultiply:
            return left * right;
        case Code::kMinimum:
            return std::min(left, right);
        case Code::kMaximum:
            return std::max(left, right);
        case Code::kPlus:
        case Code::kAdd:
        default:
            return left + right;
    }
}

using Contents = std::map<std::uint32_t, Bytes>;

void launch(const Launch& launch, Contents& memory) {
    for (std::uint32_t i = 0U; i < launch.count; ++i) {
        const int left = signed_of(memory.at(launch.left).at(launch.left_first + i));
        const int right = (launch.code == Code::kPlus) ? launch.constant
                                                       : signed_of(memory.at(launch.right).at(launch.right_first + i));
        memory.at(launch.output).at(launch.output_first + i) =
            static_cast<std::uint8_t>(std::clamp(result_of(launch.code, left, right), -128, 127));
    }
}

}  // namespace

std::vector<Bytes> data_of(const Program& program, std::uint32_t seed, Data kind) {
    test::Random changing{seed};
    test::Random fixed{1U};
    std::vector<Bytes> all;
    for (const Op& op : program.ops) {
        if (op.kind != Kind::kWrite) {
            continue;
        }
        Bytes bytes(kBytes, 0U);
        if (!op.is_data || (kind == Data::kRandom)) {
            std::generate(bytes.begin(), bytes.end(), [&] { return op.is_data ? changing.byte() : fixed.byte(); });
        } else if (kind == Data::kEqual) {
            bytes.assign(kBytes, 5U);
        } else {
            // Zeros.
        }
        all.push_back(bytes);
    }
    return all;
}

std::vector<Bytes> results_of(const Program& program, const std::vector<Bytes>& data, bool is_lying) {
    Contents memory;
    std::map<std::uint32_t, std::vector<Launch>> traces;
    std::vector<Bytes> results;
    auto next = data.begin();
    for (const Op& op : program.ops) {
        switch (op.kind) {
            case Kind::kAllocate:
                memory[op.object] = Bytes(kBytes, 0xEEU);
                break;
            case Kind::kFree:
                memory.erase(op.object);
                break;
            case Kind::kWrite:
                memory.at(op.object) = *next++;
                break;
            case Kind::kRead:
                results.push_back(memory.at(op.object));
                break;
            case Kind::kRun:
                launch(op.launch, memory);
                memory.at(op.launch.output).back() ^= is_lying ? 1U : 0U;
                break;
            case Kind::kCaptureTrace:
                traces[op.object] = op.launches;
                break;
            case Kind::kExecuteTrace:
                for (const Launch& each : traces.at(op.object)) {
                    launch(each, memory);
                }
                break;
            case Kind::kRecord:
            case Kind::kWait:
            case Kind::kSynchronise:
            default:
                break;
        }
    }
    return results;
}

}  // namespace pianola::streams
