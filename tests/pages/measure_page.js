// What is wrong with a page as it is laid out now: an expression that measure_page.py evaluates in the page. Gives a
// list of {kind, where, what}. Units are CSS pixels.
(options) => {
    const findings = [];
    const root = document.documentElement;
    const quote = (text) => {
        const short = (text || "").replace(/\s+/g, " ").trim();
        return short.length > 60 ? short.slice(0, 57) + "..." : short;
    };
    const whereIs = (element) => {
        const steps = [];
        for (let each = element; each && each !== root && steps.length < 4; each = each.parentElement) {
            const classes = [...each.classList].slice(0, 2).map((name) => "." + name).join("");
            steps.unshift(each.tagName.toLowerCase() + (each.id ? "#" + each.id : classes));
        }
        return steps.join(" > ");
    };
    const report = (kind, element, what) => findings.push({kind, where: whereIs(element), what});

    // Left out: what nobody sees, helpers of one pixel, what is fixed or may be scrolled into view, what the caller
    // allows.
    const isShown = (element) => {
        const box = element.getBoundingClientRect();
        return element.checkVisibility({checkOpacity: true, checkVisibilityCSS: true}) && box.width > 1 &&
            box.height > 1;
    };
    const isExcused = (element) => {
        if (options.allow.some((selector) => element.closest(selector))) {
            return true;
        }
        for (let each = element; each && each !== document.body && each !== root; each = each.parentElement) {
            const style = getComputedStyle(each);
            const scrolls = each !== element && /auto|scroll/.test(style.overflowX) &&
                each.scrollWidth > each.clientWidth;
            if (style.position === "fixed" || scrolls) {
                return true;
            }
        }
        return false;
    };
    const ownText = (element) => [...element.childNodes].filter((node) => node.nodeType === Node.TEXT_NODE)
        .map((node) => node.data).join(" ").trim();
    const inSvg = (element) => element instanceof SVGElement;
    const all = [...document.body.querySelectorAll("*")].filter((element) => !element.closest("script, style"));
    const shown = all.filter((element) => isShown(element) && !isExcused(element));

    if (root.scrollWidth > root.clientWidth) {
        report("scrolls sideways", root, `content ${root.scrollWidth} wide in a window of ${root.clientWidth}`);
    }
    if (!document.querySelector("meta[name=viewport]")) {
        report("no viewport", root, "a phone lays the page out as if it was 980 wide");
    }
    for (const element of shown.filter((each) => !inSvg(each) || each.tagName === "svg")) {
        const style = getComputedStyle(element);
        const box = element.getBoundingClientRect();
        const text = ownText(element);
        const isSolid = text || /^(img|svg|canvas|input|button|select|textarea|table)$/i.test(element.tagName);
        if (isSolid && (box.right > root.clientWidth + 1 || box.left + scrollX < -1)) {
            report("beyond the edge", element,
                   `from ${box.left.toFixed(1)} to ${box.right.toFixed(1)} of ${root.clientWidth}: ${quote(text)}`);
        }
        const hides = (overflow) => overflow === "hidden" || overflow === "clip";
        if (inSvg(element) || !element.innerText || !element.innerText.trim()) {
            continue;
        }
        if (hides(style.overflowX) && element.scrollWidth > element.clientWidth + 1) {
            report("clipped", element,
                   `${element.scrollWidth} wide in ${element.clientWidth}: ${quote(element.innerText)}`);
        }
        if (hides(style.overflowY) && element.clientHeight > 1 && element.scrollHeight > element.clientHeight + 3) {
            report("clipped", element,
                   `${element.scrollHeight} high in ${element.clientHeight}: ${quote(element.innerText)}`);
        }
    }

    // Texts on canvases, as measure_canvas.js has noted them.
    for (const [canvas, texts] of window.paintedTexts || []) {
        const sorted = texts.filter(({text}) => text.trim()).sort((a, b) => a.left - b.left);
        sorted.forEach((each, i) => {
            if (each.left < each.clip.left - 1 || each.right > each.clip.right + 1) {
                report("clipped", canvas, `${(each.right - each.left).toFixed(1)} painted in ` +
                       `${(each.clip.right - each.clip.left).toFixed(1)}: ${quote(each.text)}`);
            }
            for (let j = i + 1; j < sorted.length && sorted[j].left < each.right - 2; ++j) {
                if (Math.min(sorted[j].bottom, each.bottom) - Math.max(sorted[j].top, each.top) > 3) {
                    report("labels overlap", canvas, `'${quote(each.text)}' and '${quote(sorted[j].text)}'`);
                }
            }
        });
    }

    // Texts in pictures: inside their picture and the box that they start in, and none over another.
    const kSide = 1, kEnd = 2, kOverlapWidth = 2, kOverlapHeight = 3;
    for (const svg of all.filter((each) => each.tagName === "svg" && !each.ownerSVGElement)) {
        if (!isShown(svg) || options.allow.some((selector) => svg.closest(selector))) {
            continue;
        }
        const frame = svg.getBoundingClientRect();
        const isVisible = getComputedStyle(svg).overflow === "visible";
        const labels = [...svg.querySelectorAll("text")].filter((text) => isShown(text) && text.textContent.trim() &&
                !options.allow.some((selector) => text.closest(selector)))
            .map((text) => ({text, box: text.getBoundingClientRect()})).sort((a, b) => a.box.left - b.box.left);
        labels.forEach(({text, box}, i) => {
            if (!isVisible && (box.left < frame.left - kSide || box.right > frame.right + kSide ||
                               box.top < frame.top - kEnd || box.bottom > frame.bottom + kEnd)) {
                report("outside its picture", text, quote(text.textContent));
            }
            const before = text.previousElementSibling;
            if (before && before.tagName === "rect") {
                const around = before.getBoundingClientRect();
                const starts = box.left > around.left && box.left < around.right && box.top < around.bottom &&
                    box.bottom > around.top;
                if (starts && box.right > around.right + kEnd) {
                    report("wider than its box", text,
                           `${box.width.toFixed(1)} in ${around.width.toFixed(1)}: ${quote(text.textContent)}`);
                }
            }
            for (let j = i + 1; j < labels.length && labels[j].box.left < box.right - kOverlapWidth; ++j) {
                const other = labels[j].box;
                const height = Math.min(box.bottom, other.bottom) - Math.max(box.top, other.top);
                const width = Math.min(box.right, other.right) - other.left;
                if (width > kOverlapWidth && height > kOverlapHeight) {
                    report("labels overlap", text,
                           `'${quote(text.textContent)}' and '${quote(labels[j].text.textContent)}'`);
                }
            }
        });
    }

    // Contrast by WCAG 2: of letters against the nearest ground that is drawn. A ground that is a picture is left out.
    const colourOf = (text) => {
        const parts = (text.match(/[\d.]+/g) || []).map(Number);
        return /^rgba?\(/.test(text) ? {rgb: parts.slice(0, 3), alpha: parts.length > 3 ? parts[3] : 1} : null;
    };
    const over = (front, back) => front.rgb.map((part, i) => part * front.alpha + back[i] * (1 - front.alpha));
    const luminance = (rgb) => {
        const [r, g, b] = rgb.map((part) => part / 255)
            .map((part) => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const canvasRgb = () => matchMedia("(prefers-color-scheme: dark)").matches &&
        /dark/.test(getComputedStyle(root).colorScheme) ? [18, 18, 18] : [255, 255, 255];
    // What is drawn in a picture, looked at once: a large one has many thousands of shapes.
    const drawn = new Map();
    const shapesOf = (svg) => {
        if (!drawn.has(svg)) {
            drawn.set(svg, [...svg.querySelectorAll("rect, circle, path, polygon")].map((shape) => {
                const style = getComputedStyle(shape);
                const fill = colourOf(style.fill);
                const isSeen = fill && !shape.closest("defs") && shape.checkVisibility({checkVisibilityCSS: true});
                return {shape, area: shape.getBoundingClientRect(),
                        layer: isSeen && {rgb: fill.rgb, alpha: fill.alpha * style.fillOpacity * style.opacity}};
            }).filter(({layer}) => layer));
        }
        return drawn.get(svg);
    };
    const groundOf = (element) => {
        const layers = [];
        if (inSvg(element)) {
            const box = element.getBoundingClientRect();
            const [x, y] = [(box.left + box.right) / 2, (box.top + box.bottom) / 2];
            for (const {shape, area, layer} of shapesOf(element.closest("svg"))) {
                if (x > area.left && x < area.right && y > area.top && y < area.bottom &&
                    (shape.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING)) {
                    layers.unshift(layer);
                }
            }
        }
        for (let each = inSvg(element) ? element.closest("svg") : element; each; each = each.parentElement) {
            const style = getComputedStyle(each);
            if (style.backgroundImage !== "none") {
                return null;
            }
            layers.push(colourOf(style.backgroundColor) || {rgb: [0, 0, 0], alpha: 0});
        }
        return layers.reverse().reduce((ground, layer) => over(layer, ground), canvasRgb());
    };
    if (options.contrast) {
        for (const element of shown.filter((each) => ownText(each))) {
            const style = getComputedStyle(element);
            const colour = colourOf(inSvg(element) ? style.fill : style.color);
            const ground = groundOf(element);
            if (!colour || !ground) {
                continue;
            }
            const size = parseFloat(style.fontSize);
            const isLarge = size >= 24 || (size >= 18.6 && Number(style.fontWeight) >= 700);
            const [low, high] = [luminance(over(colour, ground)), luminance(ground)].sort((a, b) => a - b);
            const ratio = (high + 0.05) / (low + 0.05);
            if (ratio < (isLarge ? 3 : 4.5)) {
                report("low contrast", element, `${ratio.toFixed(2)} to 1: ${quote(ownText(element))}`);
            }
        }
    }
    return findings;
}
