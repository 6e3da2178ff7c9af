int f(int*** v);  // violates
int g(int** v);
