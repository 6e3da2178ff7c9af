#define PIANOLA_TWICE(v) ((v) + (v))  // violates
constexpr int kOne = 1;
#define PIANOLA_NOTHING(v)  // violates
