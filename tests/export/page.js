// SPDX-License-Identifier: GPL-2.0-or-later
// page.js SCRIPT - a flame graph's script, its text, in as much of a document as it needs. The boxes come on standard
// input as JSON; what a click, a search and the keys make of them goes out.
'use strict';
const fs = require('fs'), vm = require('vm');

class Element {
	constructor(name) {
		this.name = name;
		this.attributes = {};
		this.children = [];
		this.listeners = {};
		this.textContent = '';
	}
	getAttribute(name) { return name in this.attributes ? this.attributes[name] : null; }
	setAttribute(name, value) { this.attributes[name] = String(value); }
	appendChild(child) { this.children.push(child); return child; }
	addEventListener(kind, listener) { this.listeners[kind] = listener; }
	querySelector(selector) { return this.children.find((child) => child.name === selector || '#' + child.attributes.id === selector) || null; }
	querySelectorAll(selector) { return this.children.filter((child) => selector === 'g.f' && child.name === 'g'); }
	focus() { state.focused = true; }
}

const input = JSON.parse(fs.readFileSync(0, 'utf8'));
const state = { focused: false, prevented: false };
const svg = new Element('svg'), details = svg.appendChild(new Element('text')), window = new Element('window');
svg.setAttribute('width', 1200);
details.setAttribute('id', 'details');
const groups = input.boxes.map((box) => {
	const group = svg.appendChild(new Element('g'));
	const title = group.appendChild(new Element('title')), rect = group.appendChild(new Element('rect'));
	title.textContent = box.title;
	for (const key of ['x', 'y', 'width', 'fill'])
		rect.setAttribute(key, box[key]);
	if (box.text !== null)
		group.appendChild(new Element('text')).textContent = box.text;
	return group;
});
const document = { currentScript: { ownerSVGElement: svg }, documentElement: svg, createElementNS: (space, name) => new Element(name) };

function seen() {
	return groups.map((group) => {
		const rect = group.querySelector('rect');
		return { x: Number(rect.getAttribute('x')), width: Number(rect.getAttribute('width')), fill: rect.getAttribute('fill'),
			display: group.getAttribute('display') || 'inline' };
	});
}

vm.runInNewContext(process.argv[2], { document: document, window: window });
groups[input.target].listeners.click();
state.zoomed = seen();
groups[0].listeners.click();
state.reset = seen();
window.listeners.keydown({ key: 'f', ctrlKey: true, preventDefault() { state.prevented = true; } });
const field = svg.children.find((child) => child.name === 'foreignObject').children[0];
field.value = input.word;
field.listeners.input();
state.found = seen();
state.message = details.textContent;
window.listeners.keydown({ key: 'Escape', preventDefault() {} });
state.escaped = seen();
console.log(JSON.stringify(state));
