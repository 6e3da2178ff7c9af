// A shared object that is no target.
extern "C" [[gnu::visibility("default")]] int pianola_no_target();

int pianola_no_target() {
    return 1;
}
