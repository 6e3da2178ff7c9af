namespace a {
struct B {  // violates
    int c;
};
namespace {
struct D {
    int e;
};
}
}
