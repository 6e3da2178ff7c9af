struct A {
    A& operator=(const A& other);  // violates
    int v;
};
struct B {
    B& operator=(const B& other) = default;
    int v;
};
