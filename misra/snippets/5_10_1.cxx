int __f(int v);  // violates
int _G(int v);  // violates
int h(int v);
