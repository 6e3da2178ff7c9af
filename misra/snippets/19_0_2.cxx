#define PIANOLA_TWICE(v) ((v) + (v))  // violates
constexpr int kOne = 1;
