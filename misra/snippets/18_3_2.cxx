struct A {};
void g();
void f() {
    try {  // violates
        g();
    } catch (A a) {
        static_cast<void>(a);
    }
}
