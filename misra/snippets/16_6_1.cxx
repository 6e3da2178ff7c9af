struct A {
    bool operator==(const A& other) const;  // violates
    A& operator+=(const A& other);
};
bool operator!=(const A& one, const A& other);
