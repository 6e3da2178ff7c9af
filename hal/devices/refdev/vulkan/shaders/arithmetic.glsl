// Arithmetic of one element type: int8 saturates, int32 wraps.
int fitting(uint type, int value) {
    return (type == kTypeInt8) ? min(max(value, kLowest8), kHighest8) : value;
}
