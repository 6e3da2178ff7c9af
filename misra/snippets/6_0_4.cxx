namespace a {
int main();  // violates
int mains();
}
int main() {
    return 0;
}
