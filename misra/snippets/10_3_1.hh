#pragma once
namespace {  // violates
inline constexpr int kOne = 1;
}
namespace a {
inline constexpr int kTwo = 2;
}
