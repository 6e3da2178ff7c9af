int f(int v,
      int w) {  // violates
    return v;
}
int g(int v, int /*w*/) {
    return v;
}
