struct A {};
bool operator&&(const A& one, const A& other);  // violates
bool operator==(const A& one, const A& other);
