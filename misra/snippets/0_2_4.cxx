namespace {
int f(int v) {  // violates
    return v;
}
int g(int v) {
    return v;
}
class C {
  public:
    int value() { return part(); }

  private:
    int part() { return 1; }
    int other() { return 2; }  // violates
};
}
int h(int v) {
    return g(v) + C{}.value();
}
