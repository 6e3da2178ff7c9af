struct A;
void f(A* v) {
    delete v;  // violates
}
int g();
