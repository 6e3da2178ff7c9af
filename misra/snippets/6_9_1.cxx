using First = int;
using Second = int;
int f(First v);
int f(Second v);  // violates
int g(First v);
int g(First v);
