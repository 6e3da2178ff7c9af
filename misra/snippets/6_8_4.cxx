class A {
  public:
    const int& f() const { return value_; }  // violates
    const int& g() const& { return value_; }
    int h() const { return value_; }

  private:
    int value_{0};
};
