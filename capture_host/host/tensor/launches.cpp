#include "capture_host/host/tensor/launches.h"

#include <algorithm>
#include <utility>

#include "pianola_host/geometry.h"

namespace pianola::tensor {

Launches::Launches(const host::Device& device) : cores_{host::cores_of(host::all_cores(device.spec()))} {}

host::CoreCoord Launches::next_core() {
    const host::CoreCoord core = cores_[turn_];
    turn_ = (turn_ + 1U) % cores_.size();
    return core;
}

void Launches::add(refdev::KernelId kernel, const std::optional<host::CoreCoord>& core, host::Arguments arguments) {
    const host::CoreCoord where = core.has_value() ? *core : next_core();
    const auto found = std::find(cores_.begin(), cores_.end(), where);
    launches_.push_back(Launch{kernel, static_cast<std::size_t>(found - cores_.begin()), std::move(arguments)});
}

Launches Launches::part(std::size_t first, std::size_t count) const {
    Launches some{*this};
    const auto begin = launches_.begin() + static_cast<std::ptrdiff_t>(first);
    some.launches_.assign(begin, begin + static_cast<std::ptrdiff_t>(count));
    return some;
}

host::Program Launches::program(const std::string& name) const {
    // Launches of one kernel on different cores become one kernel of the program, as long as each core's order is kept.
    struct Group {
        refdev::KernelId kernel{refdev::KernelId::kUnspecified};
        std::vector<const Launch*> members;
    };
    std::vector<Group> groups;
    std::vector<std::size_t> next_group(cores_.size(), 0U);  // the first that a core's next launch may join
    for (const Launch& launch : launches_) {
        std::size_t group = next_group[launch.core];
        while ((group < groups.size()) && (groups[group].kernel != launch.kernel)) {
            group += 1U;
        }
        if (group == groups.size()) {
            groups.push_back(Group{launch.kernel, {}});
        }
        groups[group].members.push_back(&launch);
        next_group[launch.core] = group + 1U;
    }
    host::Program program{name};
    for (const Group& group : groups) {
        host::CoreRangeSet cores;
        for (const Launch* member : group.members) {
            cores.push_back(host::CoreRange{cores_[member->core], cores_[member->core]});
        }
        const host::KernelHandle kernel = program.add_kernel(group.kernel, cores);
        for (const Launch* member : group.members) {
            program.set_runtime_args(kernel, cores_[member->core], member->arguments);
        }
    }
    return program;
}

host::Argument address_in(const host::BufferPtr& buffer, std::uint32_t address) {
    for (std::uint32_t shard = 0U; shard < buffer->shard_count(); ++shard) {
        const std::uint32_t begin = buffer->shard_address(shard);
        if ((address >= begin) && ((address - begin) < buffer->shard_bytes(shard))) {
            return host::BufferArgument{buffer, shard, address - begin};
        }
    }
    return address;  // refused when arguments are resolved: no buffer holds it
}

std::vector<Band> bands_of(const host::Buffer& buffer, const Block& block) {
    const std::uint64_t row_end = block.row_begin + block.rows;
    const std::uint64_t column_end = block.column_begin + block.column_bytes;
    std::vector<const host::Piece*> touched;
    std::vector<std::uint64_t> cuts{block.row_begin, row_end};
    for (const host::Piece& piece : buffer.pieces()) {
        const std::uint64_t begin = std::max(piece.row_begin, block.row_begin);
        const std::uint64_t end = std::min(piece.row_begin + piece.rows, row_end);
        const bool columns_meet = (piece.column_begin_bytes < column_end) &&
                                  (block.column_begin < (piece.column_begin_bytes + piece.column_bytes));
        if ((begin < end) && columns_meet) {
            touched.push_back(&piece);
            cuts.push_back(begin);
            cuts.push_back(end);
        }
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    std::sort(touched.begin(), touched.end(), [](const host::Piece* left, const host::Piece* right) {
        return left->column_begin_bytes < right->column_begin_bytes;
    });
    std::vector<Band> bands;
    for (std::size_t i = 0U; (i + 1U) < cuts.size(); ++i) {
        Band band{cuts[i], cuts[i + 1U] - cuts[i], {}};
        for (const host::Piece* piece : touched) {
            if ((piece->row_begin > band.row_begin) || ((piece->row_begin + piece->rows) <= band.row_begin)) {
                continue;
            }
            const std::uint64_t begin = std::max(piece->column_begin_bytes, block.column_begin);
            const std::uint64_t end = std::min(piece->column_begin_bytes + piece->column_bytes, column_end);
            const std::uint64_t offset =
                ((band.row_begin - piece->row_begin) * piece->column_bytes) + (begin - piece->column_begin_bytes);
            band.strips.push_back(Strip{static_cast<std::uint32_t>(piece->device_address + offset),
                                        static_cast<std::uint32_t>(piece->column_bytes), begin, end - begin,
                                        piece->core});
        }
        bands.push_back(std::move(band));
    }
    return bands;
}

bool enqueue_as_one(const Tensor& result, const Launches& launches, const std::string& name, std::uint32_t queue) {
    host::Program program = launches.program(name);
    if ((launches.size() > 1U) && !result.device()->fits(program)) {
        return false;
    }
    result.device()->enqueue_program(queue, program);
    return true;
}

void enqueue(const Tensor& result, const Launches& launches, const std::string& name, std::uint32_t queue) {
    std::vector<std::pair<std::size_t, std::size_t>> left;  // first and count, the next one last
    if (!launches.empty()) {
        left.emplace_back(0U, launches.size());
    }
    while (!left.empty()) {
        const auto [first, count] = left.back();
        left.pop_back();
        const bool is_whole = count == launches.size();
        if (!enqueue_as_one(result, is_whole ? launches : launches.part(first, count), name, queue)) {
            const std::size_t half = count / 2U;
            left.emplace_back(first + half, count - half);
            left.emplace_back(first, half);
        }
    }
}

}  // namespace pianola::tensor
