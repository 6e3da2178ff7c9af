// Runs in a page and returns what a reader cannot read: text that is cut off, that lies outside, or over other text.
// Left out is what nobody sees, helpers of a pixel, what is fixed to the window, and what stands in a box that scrolls.
(() => {
    const SLACK = 1;            // pixels that rounding takes
    const OVERLAP = [2, 3];     // pixels by which texts of pictures may overlap, across and down
    const findings = [];
    const name = (element) => {
        const id = element.id ? "#" + element.id : "";
        const classes = typeof element.className === "string" ? element.className.split(" ")[0] : "";
        const kind = classes ? "." + classes : "";
        return element.tagName.toLowerCase() + id + kind;
    };
    const words = (element) => (element.textContent || "").trim().replace(/\s+/g, " ").slice(0, 40);
    const add = (what, element, detail) =>
        findings.push({ what, where: name(element), text: words(element), detail: String(detail) });
    const scrolls = (style) => /(auto|scroll)/.test(style.overflowX);
    const isSkipped = (element) => {
        if (!element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) {
            return true;
        }
        const box = element.getBoundingClientRect();
        if (box.width <= 1 || box.height <= 1) {
            return true;
        }
        for (let each = element; each && each !== document.documentElement; each = each.parentElement) {
            const style = getComputedStyle(each);
            if (style.position === "fixed" || (each !== element && each !== document.body && scrolls(style))) {
                return true;
            }
        }
        return false;
    };

    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) {
        findings.push({ what: "page scrolls sideways", where: "html", text: document.title,
                        detail: root.scrollWidth + " > " + root.clientWidth });
    }
    let seen = 0;
    for (const element of document.body.querySelectorAll("*")) {
        if (element.closest("svg") && element.tagName.toLowerCase() !== "svg") {
            continue;  // below
        }
        if (isSkipped(element)) {
            continue;
        }
        seen += 1;
        const style = getComputedStyle(element);
        const hides = style.overflowX === "hidden" || style.overflowX === "clip";
        if (hides && element.scrollWidth > element.clientWidth + SLACK && words(element)) {
            add("text cut off", element, element.scrollWidth + " > " + element.clientWidth);
        }
        const box = element.getBoundingClientRect();
        if (box.right > root.clientWidth + SLACK && !scrolls(style)) {
            add("beyond the right edge", element, Math.round(box.right) + " > " + root.clientWidth);
        }
    }
    for (const svg of document.querySelectorAll("svg")) {
        if (isSkipped(svg)) {
            continue;
        }
        const frame = svg.getBoundingClientRect();
        const texts = [...svg.querySelectorAll("text")].filter((text) => words(text)).map((text) => [text,
            text.getBoundingClientRect()]);
        texts.forEach(([text, box], index) => {
            seen += 1;
            if (box.left < frame.left - SLACK || box.right > frame.right + SLACK || box.top < frame.top - SLACK ||
                box.bottom > frame.bottom + SLACK) {
                add("text outside its picture", text, "");
            }
            for (const [other, area] of texts.slice(index + 1)) {
                const across = Math.min(box.right, area.right) - Math.max(box.left, area.left);
                const down = Math.min(box.bottom, area.bottom) - Math.max(box.top, area.top);
                if (across > OVERLAP[0] && down > OVERLAP[1]) {
                    add("text over text", text, words(other));
                }
            }
        });
    }
    return { seen, findings };
})()
