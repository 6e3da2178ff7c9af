struct A {
    A() try : v{1} {  // violates
    } catch (...) {
        v = 2;
    }
    int v;
};
