struct A {
    A* operator&();  // violates
};
A operator&(const A& one, const A& other);
