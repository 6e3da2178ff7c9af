float f(float v) {
    return v * 2.0F;  // violates
}
bool h(float v, float w) {
    return v < w;  // violates
}
float g(float v) {
    return v;
}
