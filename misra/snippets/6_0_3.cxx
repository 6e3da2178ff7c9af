int f();  // violates
namespace a {
int g();
}
extern "C" int h();
int main() {
    return 0;
}
