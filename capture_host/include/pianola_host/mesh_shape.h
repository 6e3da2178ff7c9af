// MeshShape, MeshCoordinate, MeshCoordinateRange: how devices are counted and named.
//
// Pure: no device is needed. Coordinates count row-major, the last dimension fastest. Throws API-MESH-SHAPE.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace pianola::host {

// Sizes of 1 to 8 dimensions, each at least 1.
class MeshShape {
  public:
    MeshShape(std::initializer_list<std::uint32_t> sizes) : MeshShape{std::vector<std::uint32_t>{sizes}} {}
    explicit MeshShape(std::vector<std::uint32_t> sizes);

    [[nodiscard]] std::size_t dims() const noexcept { return sizes_.size(); }
    [[nodiscard]] std::uint32_t operator[](std::size_t dimension) const { return sizes_.at(dimension); }
    [[nodiscard]] const std::vector<std::uint32_t>& sizes() const noexcept { return sizes_; }
    [[nodiscard]] std::uint32_t mesh_size() const noexcept;  // how many devices
    [[nodiscard]] bool is_line() const noexcept;             // no two dimensions above 1

    friend bool operator==(const MeshShape& left, const MeshShape& right) noexcept {
        return left.sizes_ == right.sizes_;
    }
    friend bool operator!=(const MeshShape& left, const MeshShape& right) noexcept { return !(left == right); }

  private:
    std::vector<std::uint32_t> sizes_;
};
[[nodiscard]] std::string to_string(const MeshShape& shape);  // "2x4"

class MeshCoordinate {
  public:
    MeshCoordinate(std::initializer_list<std::uint32_t> values) : values_{values} {}
    explicit MeshCoordinate(std::vector<std::uint32_t> values) : values_{std::move(values)} {}
    [[nodiscard]] static MeshCoordinate zero(std::size_t dims) {
        return MeshCoordinate{std::vector<std::uint32_t>(dims)};
    }
    // The index-th one of a shape.
    [[nodiscard]] static MeshCoordinate at(const MeshShape& shape, std::uint32_t index);

    [[nodiscard]] std::size_t dims() const noexcept { return values_.size(); }
    [[nodiscard]] std::uint32_t operator[](std::size_t dimension) const { return values_.at(dimension); }
    [[nodiscard]] const std::vector<std::uint32_t>& values() const noexcept { return values_; }
    [[nodiscard]] bool is_in(const MeshShape& shape) const noexcept;
    // Its number in a shape. Throws if it is outside.
    [[nodiscard]] std::uint32_t index_in(const MeshShape& shape) const;

    friend bool operator==(const MeshCoordinate& left, const MeshCoordinate& right) noexcept {
        return left.values_ == right.values_;
    }
    friend bool operator!=(const MeshCoordinate& left, const MeshCoordinate& right) noexcept {
        return !(left == right);
    }
    friend bool operator<(const MeshCoordinate& left, const MeshCoordinate& right) noexcept {
        return left.values_ < right.values_;
    }

  private:
    std::vector<std::uint32_t> values_;
};
[[nodiscard]] std::string to_string(const MeshCoordinate& coordinate);  // "(0, 3)"

// A box of coordinates; `end` belongs to it.
class MeshCoordinateRange {
  public:
    // Throws if the two differ in rank, or start is after end in a dimension.
    MeshCoordinateRange(MeshCoordinate start, MeshCoordinate end);
    explicit MeshCoordinateRange(const MeshShape& shape);  // all of it

    [[nodiscard]] const MeshCoordinate& start() const noexcept { return start_; }
    [[nodiscard]] const MeshCoordinate& end() const noexcept { return end_; }
    [[nodiscard]] MeshShape shape() const;
    [[nodiscard]] bool contains(const MeshCoordinate& coordinate) const noexcept;
    [[nodiscard]] bool contains(const MeshCoordinateRange& range) const noexcept;
    [[nodiscard]] bool intersects(const MeshCoordinateRange& range) const noexcept;
    // The common part of both; throws if it is empty.
    [[nodiscard]] MeshCoordinateRange common(const MeshCoordinateRange& range) const;
    [[nodiscard]] std::vector<MeshCoordinate> coordinates() const;  // row-major

    friend bool operator==(const MeshCoordinateRange& left, const MeshCoordinateRange& right) noexcept {
        return (left.start_ == right.start_) && (left.end_ == right.end_);
    }
    friend bool operator!=(const MeshCoordinateRange& left, const MeshCoordinateRange& right) noexcept {
        return !(left == right);
    }
    friend bool operator<(const MeshCoordinateRange& left, const MeshCoordinateRange& right) noexcept {
        return (left.start_ != right.start_) ? (left.start_ < right.start_) : (left.end_ < right.end_);
    }

  private:
    MeshCoordinate start_;
    MeshCoordinate end_;
};
[[nodiscard]] std::string to_string(const MeshCoordinateRange& range);  // "(0, 0) to (1, 3)"

// A range without another one, as boxes that do not overlap.
[[nodiscard]] std::vector<MeshCoordinateRange> subtract(const MeshCoordinateRange& from,
                                                        const MeshCoordinateRange& what);

// Boxes that do not overlap, sorted. Neighbours that make a box together are one.
class MeshCoordinateRangeSet {
  public:
    MeshCoordinateRangeSet() = default;
    explicit MeshCoordinateRangeSet(const std::vector<MeshCoordinateRange>& ranges);

    void merge(const MeshCoordinateRange& range);
    [[nodiscard]] const std::vector<MeshCoordinateRange>& ranges() const noexcept { return ranges_; }
    [[nodiscard]] bool contains(const MeshCoordinate& coordinate) const noexcept;
    [[nodiscard]] std::vector<MeshCoordinate> coordinates() const;  // range by range

    friend bool operator==(const MeshCoordinateRangeSet& left, const MeshCoordinateRangeSet& right) noexcept {
        return left.ranges_ == right.ranges_;
    }

  private:
    std::vector<MeshCoordinateRange> ranges_;
};

}  // namespace pianola::host
