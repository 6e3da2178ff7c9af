// Notes where texts are painted on canvases, and where their clip is: measure_page.py runs it before a page's own
// scripts. window.paintedTexts maps each canvas to what is on it now, in pixels of its own. Clips are rectangles here:
// the union of the paths that make them.
(() => {
    window.paintedTexts = new Map();
    const states = new WeakMap();
    const stateOf = (pen) => {
        if (!states.has(pen)) {
            states.set(pen, {clip: null, saved: [], path: null});
        }
        return states.get(pen);
    };
    const proto = CanvasRenderingContext2D.prototype;
    const wrap = (name, before) => {
        const original = proto[name];
        proto[name] = function (...parameters) {
            before.call(this, stateOf(this), ...parameters);
            return original.apply(this, parameters);
        };
    };
    const boxOf = (pen, x, y, width, height) => {
        const matrix = pen.getTransform();
        const corners = [[x, y], [x + width, y + height]].map(([a, b]) => matrix.transformPoint(new DOMPoint(a, b)));
        const ratio = pen.canvas.width / (pen.canvas.clientWidth || pen.canvas.width);
        const [a, b] = corners.map((point) => ({x: point.x / ratio, y: point.y / ratio}));
        return {left: Math.min(a.x, b.x), right: Math.max(a.x, b.x), top: Math.min(a.y, b.y),
                bottom: Math.max(a.y, b.y)};
    };
    const common = (a, b) => !a ? b : !b ? a : {left: Math.max(a.left, b.left), right: Math.min(a.right, b.right),
                                                top: Math.max(a.top, b.top), bottom: Math.min(a.bottom, b.bottom)};
    const union = (a, b) => !a ? b : {left: Math.min(a.left, b.left), right: Math.max(a.right, b.right),
                                      top: Math.min(a.top, b.top), bottom: Math.max(a.bottom, b.bottom)};
    wrap("save", (state) => state.saved.push(state.clip));
    wrap("restore", (state) => {
        state.clip = state.saved.length ? state.saved.pop() : null;
    });
    wrap("beginPath", (state) => {
        state.path = null;
    });
    wrap("rect", function (state, x, y, width, height) {
        state.path = union(state.path, boxOf(this, x, y, width, height));
    });
    wrap("clip", (state) => {
        state.clip = common(state.clip, state.path);
    });
    wrap("fillText", function (state, text, x, y) {
        const size = this.measureText(text);
        const box = boxOf(this, x - size.actualBoundingBoxLeft, y - size.actualBoundingBoxAscent,
                          size.actualBoundingBoxLeft + size.actualBoundingBoxRight,
                          size.actualBoundingBoxAscent + size.actualBoundingBoxDescent);
        const whole = {left: 0, top: 0, right: this.canvas.clientWidth || this.canvas.width,
                       bottom: this.canvas.clientHeight || this.canvas.height};
        const clip = common(whole, state.clip);
        if (!window.paintedTexts.has(this.canvas)) {
            window.paintedTexts.set(this.canvas, []);
        }
        // What is beyond the clip altogether is not seen at all.
        if (box.right > clip.left && box.left < clip.right && box.bottom > clip.top && box.top < clip.bottom) {
            window.paintedTexts.get(this.canvas).push({text, ...box, clip});
        }
    });
    // A new size wipes a canvas clean.
    for (const side of ["width", "height"]) {
        const property = Object.getOwnPropertyDescriptor(HTMLCanvasElement.prototype, side);
        Object.defineProperty(HTMLCanvasElement.prototype, side, {...property, set(value) {
            window.paintedTexts.delete(this);
            property.set.call(this, value);
        }});
    }
})();
