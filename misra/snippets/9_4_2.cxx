int f(int v) {
    int w = 0;
    switch (v) {  // violates
        case 1:
            w = 1;
            break;
    }
    switch (v) {
        case 1:
            w += 1;
        case 2:  // violates
            w += 2;
            break;
        default:
            break;
    }
    switch (v) {
        case 1:
        case 2:
            if (w == 1) {
                case 3:  // violates
                    w = 2;
            }
            break;
        default:
            break;
    }
    return w;
}
