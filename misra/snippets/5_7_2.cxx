int f(int v) {
    // v = v + 1;
    // ^ violates
    // The value is left as it is; others change it.
    // f(f(v));
    // ^ violates
    /* ++v; */
    // ^ violates
    // v is larger than one; a return would be early (see f());
    return v;
}
