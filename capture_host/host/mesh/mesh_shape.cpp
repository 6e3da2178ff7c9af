#include "pianola_host/mesh_shape.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "pianola_host/mesh_error.h"

namespace pianola::host {
namespace {

constexpr std::size_t kMaxDims = 8U;
constexpr std::uint64_t kMaxDevices = 4096U;

[[noreturn]] void refuse_shape(const std::string& message) {
    throw MeshError{MeshRule::kShape, message};
}

void require_rank(const MeshCoordinate& left, const MeshCoordinate& right) {
    if (left.dims() != right.dims()) {
        refuse_shape(fmt::format("{} and {} differ in rank", to_string(left), to_string(right)));
    }
}

// The box that both are together, if they are one.
std::optional<MeshCoordinateRange> joined(const MeshCoordinateRange& left, const MeshCoordinateRange& right) {
    std::optional<std::size_t> apart;
    for (std::size_t i = 0U; i < left.start().dims(); ++i) {
        if ((left.start()[i] == right.start()[i]) && (left.end()[i] == right.end()[i])) {
            continue;
        }
        const bool touches = ((left.end()[i] + 1U) == right.start()[i]) || ((right.end()[i] + 1U) == left.start()[i]);
        if (apart.has_value() || !touches) {
            return std::nullopt;
        }
        apart = i;
    }
    return MeshCoordinateRange{std::min(left.start(), right.start()), std::max(left.end(), right.end())};
}

}  // namespace

MeshShape::MeshShape(std::vector<std::uint32_t> sizes) : sizes_{std::move(sizes)} {
    std::uint64_t devices = 1U;
    for (const std::uint32_t size : sizes_) {
        devices = std::min(devices * size, kMaxDevices + 1U);
    }
    if (sizes_.empty() || (sizes_.size() > kMaxDims) || (devices == 0U) || (devices > kMaxDevices)) {
        refuse_shape(
            fmt::format("a mesh has 1 to {} dimensions of at least 1, and at most {} devices; this one is [{}]",
                        kMaxDims, kMaxDevices, fmt::join(sizes_, ", ")));
    }
}

std::uint32_t MeshShape::mesh_size() const noexcept {
    std::uint32_t devices = 1U;
    for (const std::uint32_t size : sizes_) {
        devices *= size;
    }
    return devices;
}

bool MeshShape::is_line() const noexcept {
    return std::count_if(sizes_.begin(), sizes_.end(), [](std::uint32_t size) { return size > 1U; }) <= 1;
}

std::string to_string(const MeshShape& shape) {
    return fmt::format("{}", fmt::join(shape.sizes(), "x"));
}

MeshCoordinate MeshCoordinate::at(const MeshShape& shape, std::uint32_t index) {
    if (index >= shape.mesh_size()) {
        refuse_shape(fmt::format("device {} is asked for, {} has {}", index, to_string(shape), shape.mesh_size()));
    }
    std::vector<std::uint32_t> values(shape.dims());
    for (std::size_t i = shape.dims(); i > 0U; --i) {
        values[i - 1U] = index % shape[i - 1U];
        index /= shape[i - 1U];
    }
    return MeshCoordinate{std::move(values)};
}

bool MeshCoordinate::is_in(const MeshShape& shape) const noexcept {
    return std::equal(values_.begin(), values_.end(), shape.sizes().begin(), shape.sizes().end(),
                      [](std::uint32_t value, std::uint32_t size) { return value < size; });
}

std::uint32_t MeshCoordinate::index_in(const MeshShape& shape) const {
    if (!is_in(shape)) {
        refuse_shape(fmt::format("{} lies outside of {}", to_string(*this), to_string(shape)));
    }
    std::uint32_t index = 0U;
    for (std::size_t i = 0U; i < dims(); ++i) {
        index = (index * shape[i]) + values_[i];
    }
    return index;
}

std::string to_string(const MeshCoordinate& coordinate) {
    return fmt::format("({})", fmt::join(coordinate.values(), ", "));
}

MeshCoordinateRange::MeshCoordinateRange(MeshCoordinate start, MeshCoordinate end)
    : start_{std::move(start)}, end_{std::move(end)} {
    require_rank(start_, end_);
    for (std::size_t i = 0U; i < start_.dims(); ++i) {
        if (start_[i] > end_[i]) {
            refuse_shape(
                fmt::format("a range from {} ends at {}, which is before it", to_string(start_), to_string(end_)));
        }
    }
}

MeshCoordinateRange::MeshCoordinateRange(const MeshShape& shape)
    : start_{MeshCoordinate::zero(shape.dims())}, end_{MeshCoordinate::at(shape, shape.mesh_size() - 1U)} {}

MeshShape MeshCoordinateRange::shape() const {
    std::vector<std::uint32_t> sizes;
    for (std::size_t i = 0U; i < start_.dims(); ++i) {
        sizes.push_back((end_[i] - start_[i]) + 1U);
    }
    return MeshShape{std::move(sizes)};
}

bool MeshCoordinateRange::contains(const MeshCoordinate& coordinate) const noexcept {
    bool is_inside = coordinate.dims() == start_.dims();
    for (std::size_t i = 0U; is_inside && (i < start_.dims()); ++i) {
        is_inside = (coordinate.values()[i] >= start_.values()[i]) && (coordinate.values()[i] <= end_.values()[i]);
    }
    return is_inside;
}

bool MeshCoordinateRange::contains(const MeshCoordinateRange& range) const noexcept {
    return contains(range.start_) && contains(range.end_);
}

bool MeshCoordinateRange::intersects(const MeshCoordinateRange& range) const noexcept {
    bool meets = range.start_.dims() == start_.dims();
    for (std::size_t i = 0U; meets && (i < start_.dims()); ++i) {
        meets = (range.start_.values()[i] <= end_.values()[i]) && (start_.values()[i] <= range.end_.values()[i]);
    }
    return meets;
}

MeshCoordinateRange MeshCoordinateRange::common(const MeshCoordinateRange& range) const {
    if (!intersects(range)) {
        refuse_shape(fmt::format("{} and {} have no device in common", to_string(*this), to_string(range)));
    }
    std::vector<std::uint32_t> start;
    std::vector<std::uint32_t> end;
    for (std::size_t i = 0U; i < start_.dims(); ++i) {
        start.push_back(std::max(start_[i], range.start_[i]));
        end.push_back(std::min(end_[i], range.end_[i]));
    }
    return {MeshCoordinate{std::move(start)}, MeshCoordinate{std::move(end)}};
}

std::vector<MeshCoordinate> MeshCoordinateRange::coordinates() const {
    const MeshShape box = shape();
    std::vector<MeshCoordinate> all;
    for (std::uint32_t index = 0U; index < box.mesh_size(); ++index) {
        std::vector<std::uint32_t> values = MeshCoordinate::at(box, index).values();
        std::transform(values.begin(), values.end(), start_.values().begin(), values.begin(), std::plus<>{});
        all.emplace_back(std::move(values));
    }
    return all;
}

std::string to_string(const MeshCoordinateRange& range) {
    return (range.start() == range.end()) ? to_string(range.start())
                                          : fmt::format("{} to {}", to_string(range.start()), to_string(range.end()));
}

std::vector<MeshCoordinateRange> subtract(const MeshCoordinateRange& from, const MeshCoordinateRange& what) {
    if (!from.intersects(what)) {
        return {from};
    }
    // Slabs before and after the common part, dimension by dimension; the remainder shrinks to the common part.
    std::vector<MeshCoordinateRange> rest;
    std::vector<std::uint32_t> start = from.start().values();
    std::vector<std::uint32_t> end = from.end().values();
    const MeshCoordinateRange common = from.common(what);
    for (std::size_t i = 0U; i < start.size(); ++i) {
        if (start[i] < common.start()[i]) {
            std::vector<std::uint32_t> slab = end;
            slab[i] = common.start()[i] - 1U;
            rest.emplace_back(MeshCoordinate{start}, MeshCoordinate{std::move(slab)});
        }
        if (end[i] > common.end()[i]) {
            std::vector<std::uint32_t> slab = start;
            slab[i] = common.end()[i] + 1U;
            rest.emplace_back(MeshCoordinate{std::move(slab)}, MeshCoordinate{end});
        }
        start[i] = common.start()[i];
        end[i] = common.end()[i];
    }
    return rest;
}

MeshCoordinateRangeSet::MeshCoordinateRangeSet(const std::vector<MeshCoordinateRange>& ranges) {
    for (const MeshCoordinateRange& range : ranges) {
        merge(range);
    }
}

void MeshCoordinateRangeSet::merge(const MeshCoordinateRange& range) {
    std::vector<MeshCoordinateRange> fresh{range};
    for (const MeshCoordinateRange& held : ranges_) {
        require_rank(held.start(), range.start());
        std::vector<MeshCoordinateRange> rest;
        for (const MeshCoordinateRange& part : fresh) {
            const std::vector<MeshCoordinateRange> left = subtract(part, held);
            rest.insert(rest.end(), left.begin(), left.end());
        }
        fresh = std::move(rest);
    }
    ranges_.insert(ranges_.end(), fresh.begin(), fresh.end());
    // Each join leaves one range less.
    for (std::size_t i = 0U; i < ranges_.size(); ++i) {
        for (std::size_t k = i + 1U; k < ranges_.size(); ++k) {
            const std::optional<MeshCoordinateRange> box = joined(ranges_[i], ranges_[k]);
            if (box.has_value()) {
                ranges_[i] = *box;
                ranges_.erase(ranges_.begin() + static_cast<std::ptrdiff_t>(k));
                i = 0U;
                k = 0U;
            }
        }
    }
    std::sort(ranges_.begin(), ranges_.end());
}

bool MeshCoordinateRangeSet::contains(const MeshCoordinate& coordinate) const noexcept {
    return std::any_of(ranges_.begin(), ranges_.end(),
                       [&](const MeshCoordinateRange& range) { return range.contains(coordinate); });
}

std::vector<MeshCoordinate> MeshCoordinateRangeSet::coordinates() const {
    std::vector<MeshCoordinate> all;
    for (const MeshCoordinateRange& range : ranges_) {
        const std::vector<MeshCoordinate> part = range.coordinates();
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

}  // namespace pianola::host
