enum class A { kOne };  // violates
enum class B : unsigned char { kOne };
