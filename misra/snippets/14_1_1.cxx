class A {  // violates
  public:
    int one;

  private:
    int two_;
};
class B {
  public:
    int one() const;

  private:
    int two_;
};
