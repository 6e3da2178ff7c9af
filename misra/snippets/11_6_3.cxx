enum class A : unsigned char { kOne = 1, kZero = 0,
    kAgain,  // violates
    kMore };
enum class B : unsigned char { kOne = 1, kTwo };
