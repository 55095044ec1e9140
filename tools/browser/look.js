// What can be measured of how outputs look; each function takes the node of an output area and returns lines of text.
window.look = {
	visible: node => node.checkVisibility() && node.getClientRects().length > 0,

	name: node => {
		const text = node.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
		return `<${node.tagName.toLowerCase()}>${text ? ` "${text}"` : ""}`;
	},

	// Tables and pictures that are seen. A picture that did not load has no natural width.
	shown: area => Array.from(area.querySelectorAll("table, img, svg")).filter(node =>
		look.visible(node) && node.getBoundingClientRect().width > 40 && (node.tagName !== "IMG" || node.naturalWidth > 0)
	).map(node => node.tagName.toLowerCase()),

	broken: area => Array.from(area.querySelectorAll("img")).filter(img => img.complete && !img.naturalWidth)
		.map(img => `picture "${img.alt}" did not load`),

	// Parts that are wider than their place, the innermost alone.
	sideways: area => {
		const wide = [area, ...area.querySelectorAll("*")].filter(node =>
			look.visible(node) && !node.closest("svg") && node.clientWidth > 0 && node.scrollWidth > node.clientWidth + 1);
		return wide.filter(node => !wide.some(other => other !== node && node.contains(other)))
			.map(node => `${node.scrollWidth} px in ${node.clientWidth}: ${look.name(node)}`);
	},

	// Texts in figures that are drawn smaller than that many pixels.
	small: (area, least) => Array.from(area.querySelectorAll("svg")).filter(look.visible).map(svg => {
		const sizes = Array.from(svg.querySelectorAll("text"), text => {
			const scale = text.getScreenCTM(); // of a text that may stand upright
			return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(scale.a, scale.b);
		});
		const smallest = Math.min(...sizes);
		return smallest < least ? `text of ${smallest.toFixed(1)} px in "${svg.getAttribute("aria-label") ?? ""}"` : "";
	}).filter(Boolean),

	colour: text => {
		const numbers = text.match(/[\d.]+/g).map(Number);
		if (text.startsWith("color(srgb")) for (let i = 0; i < 3; i++) numbers[i] *= 255;
		return [...numbers.slice(0, 3), numbers[3] ?? 1];
	},

	over: (front, back) => [0, 1, 2].map(i => front[i] * front[3] + back[i] * (1 - front[3])).concat(1),

	// Relative luminance and contrast as the Web Content Accessibility Guidelines 2.2 define them.
	luminance: c => [0.2126, 0.7152, 0.0722].reduce((sum, weight, i) => {
		const v = c[i] / 255;
		return sum + weight * (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
	}, 0),

	contrast: (a, b) => {
		const [x, y] = [look.luminance(a), look.luminance(b)];
		return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
	},

	background: node => {
		const layers = [];
		for (let at = node; at; at = at.parentElement) {
			const colour = look.colour(getComputedStyle(at).backgroundColor);
			if (colour[3] > 0) layers.push(colour);
			if (colour[3] === 1) break;
		}
		return layers.reverse().reduce((back, front) => look.over(front, back), [255, 255, 255, 1]);
	},

	// Texts outside of figures whose contrast with what lies behind them is below 4.5, for large ones 3.
	faint: area => {
		const found = new Map();
		const walker = document.createTreeWalker(area, NodeFilter.SHOW_TEXT);
		while (walker.nextNode()) {
			const node = walker.currentNode.parentElement;
			if (!walker.currentNode.data.trim() || node.closest("svg, script, style") || !look.visible(node)) continue;
			const style = getComputedStyle(node), back = look.background(node), front = look.colour(style.color);
			for (let at = node; at && at !== area; at = at.parentElement) front[3] *= getComputedStyle(at).opacity;
			const ratio = look.contrast(look.over(front, back), back);
			const large = parseFloat(style.fontSize) >= (style.fontWeight >= 700 ? 18.66 : 24);
			if (ratio < (large ? 3 : 4.5)) {
				found.set(`${style.color} ${back}`, `contrast ${ratio.toFixed(1)}: ${look.name(node)}`);
			}
		}
		return Array.from(found.values());
	},
};
