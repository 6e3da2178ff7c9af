enum A : unsigned char { kOne };  // violates
enum class B : unsigned char { kTwo };
