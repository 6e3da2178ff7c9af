// Which taps of a sliding window lie inside the input, along one axis: hal/devices/refdev/kernels/window.h.
struct TapRange {
    uint first;
    uint end;  // first == end if there is none
};

uint steps_to_cover(int distance, uint step) {
    return (distance <= 0) ? 0u : ((uint(distance) + (step - 1u)) / step);
}

TapRange taps_inside(int origin, uint input_size, uint filter_size, uint dilation) {
    const uint before = steps_to_cover(-origin, dilation);
    const uint end = min(steps_to_cover(int(input_size) - origin, dilation), filter_size);
    return TapRange(min(before, end), end);
}
