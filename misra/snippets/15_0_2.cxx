struct A {
    void operator=(const A& other);  // violates
    int v;
};
struct B {
    B& operator=(const B& other);
    int v;
};
