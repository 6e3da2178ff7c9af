// Operands that a kernel repeats along some of four dimensions: hal/devices/refdev/kernels/broadcast.h.
struct Index {
    uint along[4];
};

// `first` is the argument word of the first dimension.
uint elements_of(uint first) {
    return argument(first) * argument(first + 1u) * argument(first + 2u) * argument(first + 3u);
}

Index index_of(uint at, uint first) {
    Index index;
    uint rest = at;
    for (uint i = 4u; i > 0u; --i) {
        const uint size = argument(first + (i - 1u));
        index.along[i - 1u] = rest % size;
        rest /= size;
    }
    return index;
}

// Offset in an operand whose strides are four argument words from `first` on.
uint element_at(Index index, uint first) {
    return (index.along[0] * argument(first)) + (index.along[1] * argument(first + 1u)) +
           (index.along[2] * argument(first + 2u)) + (index.along[3] * argument(first + 3u));
}
