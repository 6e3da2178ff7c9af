template <typename T>
int f(T v);
template <>
int f<int>(int v);  // violates
int g(int v);
