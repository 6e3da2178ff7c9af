#include "capture_host/host/tensor/gather_rows.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "capture_host/host/tensor/operands.h"

namespace pianola::tensor {
namespace {

constexpr std::size_t kSegments = refdev::kMaxGatherSegments;

[[nodiscard]] std::uint64_t row_bytes_of(const std::vector<RowPart>& parts) {
    return std::accumulate(parts.begin(), parts.end(), std::uint64_t{0U},
                           [](std::uint64_t sum, const RowPart& part) { return sum + part.bytes; });
}

[[nodiscard]] bool is_wide(const RowBand& band) noexcept {
    return band.parts.size() > kSegments;
}

// Launches for bands of at most four parts, consecutive from the beginning of `to` on.
void launch_all(const Tensor& to, const std::vector<RowBand>& bands, const std::string& name, std::uint32_t queue) {
    std::uint32_t address = first_address(to);
    for (std::size_t first = 0U; first < bands.size(); first += kLaunchesOfAProgram) {
        Launches launches{*to.device()};
        for (std::size_t i = first; i < std::min(bands.size(), first + kLaunchesOfAProgram); ++i) {
            add_gather(launches, std::nullopt, address_in(to.buffer(), address), bands[i]);
            address += word(bands[i].rows * row_bytes_of(bands[i].parts));
        }
        enqueue(to, launches, name, queue);
    }
}

// Joins each four parts of a wide band to one, in a temporary.
void narrow(std::vector<RowBand>& bands, const std::string& name, std::uint32_t queue) {
    std::uint64_t bytes = 0U;
    for (const RowBand& band : bands) {
        bytes += is_wide(band) ? (band.rows * row_bytes_of(band.parts)) : 0U;
    }
    const Tensor between = Tensor::on_device({{word(bytes)}, ElementType::kInt8, kDramInterleaved},
                                             bands.front().parts.front().source.device(), {queue, true});
    std::uint32_t address = first_address(between);
    std::vector<RowBand> joined;
    for (RowBand& band : bands) {
        if (!is_wide(band)) {
            continue;
        }
        std::vector<RowPart> parts;
        for (std::size_t first = 0U; first < band.parts.size(); first += kSegments) {
            const auto begin = band.parts.begin() + static_cast<std::ptrdiff_t>(first);
            const auto end =
                band.parts.begin() + static_cast<std::ptrdiff_t>(std::min(band.parts.size(), first + kSegments));
            const RowBand& group = joined.emplace_back(RowBand{band.rows, {begin, end}});
            const std::uint32_t width = word(row_bytes_of(group.parts));
            parts.push_back(RowPart{between, address, width, width});
            address += band.rows * width;
        }
        band.parts = std::move(parts);
    }
    launch_all(between, joined, name, queue);
}

}  // namespace

void add_gather(Launches& launches, const std::optional<host::CoreCoord>& core, host::Argument to,
                const RowBand& band) {
    host::Arguments arguments{std::move(to), band.rows, word(band.parts.size())};
    for (std::size_t i = 0U; i < kSegments; ++i) {
        if (i < band.parts.size()) {
            const RowPart& part = band.parts[i];
            arguments.push_back(address_in(part.source.buffer(), part.address));
            arguments.insert(arguments.end(), {part.stride_bytes, part.bytes});
        } else {
            arguments.insert(arguments.end(), {0U, 0U, 0U});
        }
    }
    launches.add(refdev::KernelId::kGather, core, std::move(arguments));
}

void gather_rows(const Tensor& destination, std::vector<RowBand> bands, const std::string& name, std::uint32_t queue) {
    while (std::any_of(bands.begin(), bands.end(), is_wide)) {
        narrow(bands, name, queue);
    }
    launch_all(destination, bands, name, queue);
}

Tensor zeros_for_parts(const Tensor& operand, std::uint32_t bytes, std::uint32_t queue) {
    const Tensor zeros =
        Tensor::on_device({{bytes}, ElementType::kInt8, kDramInterleaved}, operand.device(), {queue, true});
    fill(zeros, 0, queue);
    return zeros;
}

}  // namespace pianola::tensor
