#include "capture_host/binary/state.h"

#include <algorithm>

#include "capture_host/base/text.h"
#include "capture_host/binary/names.h"
#include "capture_host/binary/trace_walk.h"
#include "pianola_host/manifest.h"

namespace pianola::evidence {
namespace {

using host::ByteRange;

// A block that the set-up writes to device memory.
struct Block {
    ByteRange range;
    ByteSpan bytes;
};

// The runs of an extent as the proofs treat them: the hull if there are many. Runs that touch are not joined, because
// the digest of constants has them one by one.
template <typename Visit>
void for_each_proved_run(const Extent& extent, Visit visit) {
    if ((std::uint64_t{extent.inner.count} * extent.outer.count) > kMaxRunsPerExtent) {
        visit(ByteRange{extent.address, extent.address + hull_bytes(extent)}, false);
        return;
    }
    for (std::uint64_t outer = 0U; outer < extent.outer.count; ++outer) {
        for (std::uint64_t inner = 0U; inner < extent.inner.count; ++inner) {
            const std::uint64_t begin =
                extent.address + (outer * extent.outer.stride_bytes) + (inner * extent.inner.stride_bytes);
            visit(ByteRange{begin, begin + extent.size_bytes}, true);
        }
    }
}

// Collects what a script writes into a region.
class Collector {
  public:
    void add_constant(ByteSpan bytes) {
        constants_.update(bytes);
        found_.constant_bytes += bytes.size();
    }
    void add_command(WordSpan words) {
        const std::vector<std::uint8_t> bytes = targets::bytes_of({words.begin(), words.end()});
        words_.update({bytes.data(), bytes.size()});
        found_.commands += 1U;
    }
    void add_range(const ByteRange& range) { ranges_.add(range); }

    [[nodiscard]] std::optional<FirstContents> finish() {
        if (ranges_.empty() && (found_.commands == 0U)) {
            return std::nullopt;
        }
        found_.bytes = ranges_.size();
        found_.constants = constants_.finish();
        found_.command_words = words_.finish();
        return found_;
    }

  private:
    FirstContents found_;
    Sha256 constants_;
    Sha256 words_;
    host::RangeSet ranges_;
};

class StateReader {
  public:
    StateReader(const Image& image, const CommandSet& command_set) : image_{image}, command_set_{command_set} {
        for (std::uint32_t i = 0U; i < image_.region_count(); ++i) {
            const RegionView region = image_.region(i);
            if (region.memory == MemoryKind::kFile) {
                blocks_.push_back({{region.base, std::uint64_t{region.base} + region.size_bytes}, image_.weights()});
            }
        }
        for_each_command_of(ScriptKind::kSetup, [this](const ScriptCommandView& command) {
            if (command.kind == ScriptCommandKind::kWriteBuffer) {
                const BufferView buffer = image_.buffer(command.object);
                const std::uint64_t first = std::uint64_t{image_.region(buffer.region).base} + buffer.offset_bytes;
                blocks_.push_back({{first, first + buffer.size_bytes},
                                   image_.weights().subspan(command.segment_offset, buffer.size_bytes)});
            }
        });
    }

    [[nodiscard]] StateRegion read(const RegionView& view) const {
        const ByteRange region{view.base, std::uint64_t{view.base} + view.size_bytes};
        StateRegion state{capture::to_string(view.name), view.memory, view.base, view.size_bytes, {}, {}};
        Collector set_up;
        for (const Block& block : blocks_) {
            if (is_in(block.range, region)) {
                set_up.add_constant(block.bytes);
                set_up.add_range(block.range);
            }
        }
        state.set_up = set_up.finish();
        Collector prologue;
        for_each_command_of(ScriptKind::kPrologue, [&](const ScriptCommandView& command) {
            if (command.kind == ScriptCommandKind::kReplayTrace) {
                collect(image_.trace(command.object), region, prologue);
            }
        });
        state.prologue = prologue.finish();
        return state;
    }

  private:
    static bool is_in(const ByteRange& range, const ByteRange& region) {
        return (range.begin >= region.begin) && (range.end <= region.end);
    }

    template <typename Visit>
    void for_each_command_of(ScriptKind kind, Visit visit) const {
        for (std::uint32_t script = 0U; script < image_.script_count(); ++script) {
            const ScriptView view = image_.script(script);
            for (std::uint32_t i = 0U; (view.kind == kind) && (i < view.command_count); ++i) {
                visit(image_.script_command(script, i));
            }
        }
    }

    void collect(const TraceView& trace, const ByteRange& region, Collector& collector) const {
        const WordSpan words =
            image_.trace_words().subspan(trace.offset_bytes / sizeof(std::uint32_t), trace.word_count);
        (void)targets::for_each_command(command_set_, words, [&](std::uint32_t word, const DecodedCommand& command) {
            bool writes = false;
            for (const Extent& extent : command.extents.view()) {
                writes = collect_writes(extent, region, collector) || writes;
            }
            if (writes) {
                collector.add_command(words.subspan(word, command.length_words));
                collect_constants(command, collector);
            }
        });
    }

    static bool collect_writes(const Extent& extent, const ByteRange& region, Collector& collector) {
        bool found = false;
        if (extent.access == Access::kWrite) {
            for_each_proved_run(extent, [&](const ByteRange& run, bool is_exact) {
                found = found || is_in(run, region);
                if (is_exact && is_in(run, region)) {
                    collector.add_range(run);
                }
            });
        }
        return found;
    }

    void collect_constants(const DecodedCommand& command, Collector& collector) const {
        for (const Extent& extent : command.extents.view()) {
            if (extent.access != Access::kRead) {
                continue;
            }
            for_each_proved_run(extent, [&](const ByteRange& run, bool /*is_exact*/) {
                for (const Block& block : blocks_) {
                    const ByteRange part{std::max(run.begin, block.range.begin), std::min(run.end, block.range.end)};
                    if (part.begin < part.end) {
                        collector.add_constant(
                            block.bytes.subspan(static_cast<std::size_t>(part.begin - block.range.begin),
                                                static_cast<std::size_t>(part.end - part.begin)));
                    }
                }
            });
        }
    }

    const Image& image_;
    const CommandSet& command_set_;
    std::vector<Block> blocks_;
};

nlohmann::json contents_to_json(const std::optional<FirstContents>& contents) {
    if (!contents.has_value()) {
        return nullptr;
    }
    return {{"bytes", contents->bytes},
            {"constant_bytes", contents->constant_bytes},
            {"constants_sha256", files::to_hex(ByteSpan{contents->constants})},
            {"commands", contents->commands},
            {"commands_sha256", files::to_hex(ByteSpan{contents->command_words})}};
}

}  // namespace

std::vector<StateRegion> state_of(const Image& image, const CommandSet& command_set) {
    const StateReader reader{image, command_set};
    std::vector<StateRegion> regions;
    for (std::uint32_t i = 0U; i < image.region_count(); ++i) {
        const RegionView region = image.region(i);
        if (region.kind == RegionKind::kState) {
            regions.push_back(reader.read(region));
        }
    }
    return regions;
}

nlohmann::json to_json(const std::vector<StateRegion>& regions) {
    nlohmann::json list = nlohmann::json::array();
    for (const StateRegion& region : regions) {
        list.push_back({{"name", region.name},
                        {"memory", name_of(region.memory)},
                        {"address", region.base},
                        {"bytes", region.size_bytes},
                        {"prologue", contents_to_json(region.prologue)},
                        {"set_up", contents_to_json(region.set_up)}});
    }
    return list;
}

}  // namespace pianola::evidence
