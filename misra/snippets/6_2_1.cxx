// Compiled twice, once with OTHER: two classes of one name, of which one has a member more.
struct Part {
    int one;
#ifdef OTHER
    int two;
#endif
};
#ifdef OTHER
int size_here(const Part& part) {
    return part.one + part.two;
}
#else
int size_there(const Part& part) {
    return part.one;
}
#endif
