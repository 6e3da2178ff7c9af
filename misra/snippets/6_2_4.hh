#pragma once
namespace a {
int f() {  // violates
    return 1;
}
inline int g() {
    return 1;
}
}
