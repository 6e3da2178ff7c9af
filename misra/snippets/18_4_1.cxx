struct A {
    A(A&& other);  // violates
    A(const A& other);
    A& operator=(A&& other);  // violates
};
void swap(A& one, A& other);  // violates
void swap(int& one, int& other) noexcept;
struct B {
    B(B&& other) noexcept;
    B(const B& other);
};
