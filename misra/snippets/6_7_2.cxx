namespace a {
int g_changing = 1;  // violates
constexpr int kFixed = 1;
}
