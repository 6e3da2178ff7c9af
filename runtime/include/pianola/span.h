// Span: a view of contiguous elements that knows its length and never wraps.
//
// The runtime passes all memory as spans; C++17 has no std::span. A view does not own its elements: the caller keeps
// them alive as long as the view, or anything made from it, is in use.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace pianola {

template <typename T>
class Span {
  public:
    constexpr Span() noexcept = default;
    constexpr Span(T* data, std::size_t count) noexcept : data_{data}, count_{count} {}

    template <std::size_t kCount>
    // NOLINTNEXTLINE(google-explicit-constructor): DEV-001
    constexpr Span(std::array<std::remove_const_t<T>, kCount>& elements) noexcept
        : data_{elements.data()}, count_{kCount} {}

    template <std::size_t kCount>
    // NOLINTNEXTLINE(google-explicit-constructor): DEV-001
    constexpr Span(const std::array<std::remove_const_t<T>, kCount>& elements) noexcept
        : data_{elements.data()}, count_{kCount} {}

    // A writable view converts to a read-only view.
    template <typename Other, typename = std::enable_if_t<std::is_same_v<const Other, T>>>
    constexpr Span(Span<Other> other) noexcept  // NOLINT(google-explicit-constructor): DEV-001
        : data_{other.data()}, count_{other.size()} {}

    [[nodiscard]] constexpr T* data() const noexcept { return data_; }
    [[nodiscard]] constexpr std::size_t size() const noexcept { return count_; }
    [[nodiscard]] constexpr bool empty() const noexcept { return count_ == 0U; }
    [[nodiscard]] constexpr T* begin() const noexcept { return data_; }
    [[nodiscard]] constexpr T* end() const noexcept {
        return data_ + count_;  // NOLINT(cppcoreguidelines-pro-bounds-pointer-arithmetic): DEV-002
    }

    // The caller has checked index < size(): this is the only unchecked access.
    [[nodiscard]] constexpr T& operator[](std::size_t index) const noexcept {
        return data_[index];  // NOLINT(cppcoreguidelines-pro-bounds-pointer-arithmetic): DEV-002
    }

    // True where [offset, offset + count) lies inside; written so that no sum can wrap.
    [[nodiscard]] constexpr bool contains(std::size_t offset, std::size_t count) const noexcept {
        return (offset <= count_) && (count <= (count_ - offset));
    }

    // The part [offset, offset + count), or an empty view where it does not lie inside.
    [[nodiscard]] constexpr Span subspan(std::size_t offset, std::size_t count) const noexcept {
        if (!contains(offset, count)) {
            return Span{};
        }
        return Span{data_ + offset, count};  // NOLINT(cppcoreguidelines-pro-bounds-pointer-arithmetic): DEV-002
    }

  private:
    T* data_{nullptr};
    std::size_t count_{0U};
};

using ByteSpan = Span<const std::uint8_t>;
using MutableByteSpan = Span<std::uint8_t>;
using WordSpan = Span<const std::uint32_t>;

}  // namespace pianola
