#include <array>  // violates
namespace a {
int f();
}
