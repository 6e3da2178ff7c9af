// StridedView: a dense tensor in memory, read in another order.
//
// Slicing, transposing, reversing, repeating and blocking change the view and move nothing; the launches of the view
// kernel that view_launches() makes then write the elements in the view's order, dense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "hal/devices/refdev/kernels/arguments.h"

namespace pianola::operators {

struct StridedAxis {
    std::uint32_t size{1U};
    std::int64_t stride_bytes{0};
};

class StridedView {
  public:
    // All of a dense tensor, `offset_bytes` into memory.
    StridedView(const std::vector<std::uint32_t>& shape, std::uint32_t element_bytes, std::int64_t offset_bytes = 0);

    // Takes `count` elements of `axis` from number `first` on, each `step` after the previous one: they must exist.
    void slice(std::size_t axis, std::int64_t first, std::int64_t step, std::uint32_t count);
    void reverse(std::size_t axis);
    // Axis i of the view becomes what axis order[i] was.
    void permute(const std::vector<std::size_t>& order);
    // Repeats the only element of `axis` `count` times.
    void repeat(std::size_t axis, std::uint32_t count);
    // Splits `axis`, of size * n, into two: n, then `size`.
    void split(std::size_t axis, std::uint32_t size);
    // Inserts a new axis of size 1 before `axis`.
    void insert(std::size_t axis);

    [[nodiscard]] std::size_t rank() const noexcept { return axes_.size(); }
    [[nodiscard]] std::uint32_t size(std::size_t axis) const { return axes_.at(axis).size; }
    [[nodiscard]] std::uint32_t element_bytes() const noexcept { return element_bytes_; }
    [[nodiscard]] std::int64_t offset_bytes() const noexcept { return offset_bytes_; }  // of the first element
    [[nodiscard]] const std::vector<StridedAxis>& axes() const noexcept { return axes_; }

  private:
    std::uint32_t element_bytes_;
    std::int64_t offset_bytes_;
    std::vector<StridedAxis> axes_;
};

// The kernel's arguments without addresses, and the offsets of its addresses in the memories of both tensors.
struct ViewLaunch {
    refdev::ViewArguments arguments{};
    std::uint32_t input_offset_bytes{0U};
    std::uint32_t output_offset_bytes{0U};
};

// One launch; or one for each index of the outermost axes, if the view has more axes than the kernel even after
// joining. Empty if that would be more than `most`, or if a stride is 2 GiB or more.
[[nodiscard]] std::vector<ViewLaunch> view_launches(const StridedView& view, std::size_t most);

}  // namespace pianola::operators
