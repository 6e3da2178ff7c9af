template <typename T>
struct A : T {  // violates
    int f();
};
struct B {};
struct C : B {};
