#include "capture_host/cli/memory_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "capture_host/base/chart.h"
#include "capture_host/base/page.h"
#include "capture_host/cli/cli.h"

namespace pianola::cli {
namespace {

using pages::Chart;
using pages::escape;
using pages::grouped;
using pages::Table;
using Align = Table::Align;

constexpr std::size_t kMostRows = 6U;  // of buffers that share bytes, in a picture

std::string region_style(RegionKind kind) {
    static const std::map<RegionKind, std::size_t> kHues{
        {RegionKind::kWeights, 0U}, {RegionKind::kActivation, 1U}, {RegionKind::kShared, 2U}, {RegionKind::kOutput, 3U},
        {RegionKind::kState, 4U},   {RegionKind::kInput, 7U},      {RegionKind::kTrace, 10U}};
    const auto found = kHues.find(kind);
    return pages::hue_class((found != kHues.end()) ? found->second : (pages::kHues - 1U));
}

// "input 0, output 1": the tensors that lie in a buffer.
std::string bound_to(const capture::Manifest& manifest, std::size_t buffer) {
    std::string text;
    const auto note = [&](const char* what, const std::vector<capture::ManifestTensor>& tensors) {
        for (std::size_t i = 0U; i < tensors.size(); ++i) {
            const bool is_here =
                (buffer >= tensors[i].buffer) && ((buffer - tensors[i].buffer) < tensors[i].buffer_count);
            text += is_here ? fmt::format("{}{} {}", text.empty() ? "" : ", ", what, i) : std::string{};
        }
    };
    note("input", manifest.inputs);
    note("output", manifest.outputs);
    return text;
}

// A memory of the device, and the indices of the regions that say that they are in it, by address.
struct Memory {
    std::string name;
    MemoryKind kind{MemoryKind::kUnspecified};
    std::uint64_t base{0U};
    std::uint64_t bytes{0U};
    std::vector<std::size_t> regions;

    [[nodiscard]] double place_of(std::uint64_t address) const {
        const std::uint64_t inside = std::clamp(address, base, base + bytes) - base;
        return pages::fraction(inside, bytes);
    }
};

std::vector<Memory> memories_of(const capture::Manifest& manifest) {
    const capture::ManifestTarget& target = manifest.target;
    std::vector<Memory> memories{{"DRAM", MemoryKind::kDram, target.dram_base, target.dram_bytes, {}},
                                 {"L1", MemoryKind::kL1, target.l1_base, target.l1_bytes, {}}};
    for (Memory& memory : memories) {
        for (std::size_t i = 0U; i < manifest.regions.size(); ++i) {
            if (manifest.regions[i].memory == memory.kind) {
                memory.regions.push_back(i);
            }
        }
        std::sort(memory.regions.begin(), memory.regions.end(), [&](std::size_t left, std::size_t right) {
            return std::pair{manifest.regions[left].base, left} < std::pair{manifest.regions[right].base, right};
        });
    }
    return memories;
}

class MapDrawing {
  public:
    MapDrawing(const capture::Manifest& manifest, const Memory& memory)
        : manifest_{manifest},
          memory_{memory},
          chart_{"map-" + memory.name, "Memory map: " + memory.name,
                 fmt::format("{} bytes from {}, to scale; below, each region with its buffers, and free memory",
                             grouped(memory.bytes), pages::address_text(memory.base))} {}

    std::string draw() {
        draw_scale();
        std::uint64_t at = memory_.base;
        for (const std::size_t region : memory_.regions) {
            const std::uint64_t base = manifest_.regions[region].base;
            if (base > at) {
                draw_free(at, base);
            }
            draw_region(region);
            at = std::max(at, base + manifest_.regions[region].size_bytes);
        }
        if (at < (memory_.base + memory_.bytes)) {
            draw_free(at, memory_.base + memory_.bytes);
        }
        return chart_.svg(y_);
    }

  private:
    void draw_scale() {
        constexpr double kHeight = 26.0;
        chart_.line_of_text(13.0, {fmt::format("{}: {} bytes, to scale", memory_.name, grouped(memory_.bytes))});
        chart_.box({0.0, 1.0, 20.0, kHeight}, "free");
        for (const std::size_t index : memory_.regions) {
            const capture::ManifestRegion& region = manifest_.regions[index];
            const Chart::Box box{memory_.place_of(region.base),
                                 memory_.place_of(std::uint64_t{region.base} + region.size_bytes), 20.0, kHeight};
            chart_.box(box, region_style(region.kind), tooltip(region));
            chart_.label(box, {region.name});
        }
        y_ = 20.0 + kHeight + 12.0;
    }

    [[nodiscard]] static std::string tooltip(const capture::ManifestRegion& region) {
        return fmt::format("{}: {}, {} bytes from {}", region.name, name_of(region.kind), grouped(region.size_bytes),
                           pages::address_text(region.base));
    }

    void draw_free(std::uint64_t from, std::uint64_t to) {
        constexpr double kHeight = 20.0;
        chart_.box({0.0, 1.0, y_, kHeight}, "free");
        chart_.fitted({0.012, 1.0, y_, kHeight},
                      {fmt::format("free: {} bytes from {}", grouped(to - from), pages::address_text(from))}, "faint");
        y_ += kHeight + 3.0;
    }

    void draw_region(std::size_t index) {
        constexpr double kText = 36.0;
        constexpr double kRow = 9.0;
        const capture::ManifestRegion& region = manifest_.regions[index];
        const std::vector<std::vector<std::size_t>> rows = rows_of(index);
        const double height = kText + (static_cast<double>(rows.size()) * kRow) + 5.0;
        const std::string look = region_style(region.kind);
        chart_.box({0.0, 1.0, y_, height}, "lane");
        chart_.box({0.0, 0.01, y_, height}, look);
        chart_.fitted({0.012, 1.0, y_ + 1.0, kText / 2.0}, {region.name});
        chart_.fitted({0.012, 1.0, y_ + (kText / 2.0), kText / 2.0},
                      {fmt::format("{}, {} bytes from {}", name_of(region.kind), grouped(region.size_bytes),
                                   pages::address_text(region.base))},
                      "faint");
        for (std::size_t row = 0U; row < rows.size(); ++row) {
            for (const std::size_t buffer : rows[row]) {
                draw_buffer(buffer, region, y_ + kText + (static_cast<double>(row) * kRow), look);
            }
        }
        y_ += height + 3.0;
    }

    void draw_buffer(std::size_t index, const capture::ManifestRegion& region, double top, const std::string& look) {
        constexpr double kLeft = 0.02;
        constexpr double kWidth = 0.97;
        constexpr double kSeam = 0.001;
        const capture::ManifestBuffer& buffer = manifest_.buffers[index];
        const std::uint64_t end = std::uint64_t{buffer.offset_bytes} + buffer.size_bytes;
        const double from = std::min(1.0, pages::fraction(buffer.offset_bytes, region.size_bytes));
        const double to = std::min(1.0, pages::fraction(end, region.size_bytes));
        const std::string bound = bound_to(manifest_, index);
        chart_.box(
            {kLeft + (from * kWidth), std::max(kLeft + (from * kWidth), kLeft + (to * kWidth) - kSeam), top, 7.0}, look,
            fmt::format("{}: {} bytes, {} into the region{}{}", buffer.name, grouped(buffer.size_bytes),
                        grouped(buffer.offset_bytes), bound.empty() ? "" : "; ", bound));
    }

    // Buffers that share bytes are in separate rows, as far as there are rows.
    [[nodiscard]] std::vector<std::vector<std::size_t>> rows_of(std::size_t region) const {
        std::vector<std::vector<std::size_t>> rows;
        for (std::size_t i = 0U; i < manifest_.buffers.size(); ++i) {
            if (manifest_.buffers[i].region != region) {
                continue;
            }
            const auto fits = [&](const std::vector<std::size_t>& row) {
                return std::none_of(row.begin(), row.end(), [&](std::size_t other) { return share(i, other); });
            };
            const auto row = std::find_if(rows.begin(), rows.end(), fits);
            if (row != rows.end()) {
                row->push_back(i);
            } else if (rows.size() < kMostRows) {
                rows.push_back({i});
            }
        }
        return rows;
    }

    [[nodiscard]] bool share(std::size_t left, std::size_t right) const {
        const auto end = [](const capture::ManifestBuffer& each) {
            return std::uint64_t{each.offset_bytes} + each.size_bytes;
        };
        const capture::ManifestBuffer& first = manifest_.buffers[left];
        const capture::ManifestBuffer& second = manifest_.buffers[right];
        return (first.offset_bytes < end(second)) && (second.offset_bytes < end(first));
    }

    const capture::Manifest& manifest_;
    const Memory& memory_;
    Chart chart_;
    double y_{0.0};
};

std::string table_of(const capture::Manifest& manifest) {
    Table table{"Regions and their buffers",
                {{"name", Align::kName},
                 {"kind", Align::kText},
                 {"memory", Align::kText},
                 {"address", Align::kText},
                 {"bytes", Align::kNumber},
                 {"bound to", Align::kText}}};
    for (std::size_t i = 0U; i < manifest.regions.size(); ++i) {
        const capture::ManifestRegion& region = manifest.regions[i];
        table.add({pages::swatch(region_style(region.kind)) + escape(region.name), name_of(region.kind),
                   name_of(region.memory), pages::address_text(region.base), grouped(region.size_bytes), ""});
        for (std::size_t buffer = 0U; buffer < manifest.buffers.size(); ++buffer) {
            const capture::ManifestBuffer& each = manifest.buffers[buffer];
            if (each.region == i) {
                table.add({escape(each.name), "buffer", "",
                           pages::address_text(std::uint64_t{region.base} + each.offset_bytes),
                           grouped(each.size_bytes), bound_to(manifest, buffer)});
            }
        }
    }
    return fmt::format("<details><summary>As a table: {} regions, {} buffers</summary>\n{}</details>\n",
                       manifest.regions.size(), manifest.buffers.size(), table.html());
}

}  // namespace

std::string memory_map(const capture::Manifest& manifest) {
    std::string pictures;
    for (const Memory& memory : memories_of(manifest)) {
        if ((memory.bytes > 0U) && !memory.regions.empty()) {
            pictures += MapDrawing{manifest, memory}.draw();
        }
    }
    return "<h2>Memory</h2>\n<p>Regions by address. The strips in them are buffers, to scale in their region; those "
           "that share bytes, at different times, lie below each other.</p>\n" +
           pictures + table_of(manifest);
}

}  // namespace pianola::cli
