// SPDX-License-Identifier: MIT
// MIT, because a copy stands in each page that a user makes, and may go wherever that goes.
// explorer.js - a page's tree, functions, calls, lines and time, each of which leads to the others. What is chosen
// stands in the address. It reads the data block that explored_data.c writes, and stands behind page.js.
(async () => {
'use strict';
const place = document.querySelector('.explorer');
const blocks = ['topdown-view', 'topdown-view-after'].map(id => document.getElementById(id)).filter(Boolean);
const ROW = 18, SHOWN = 12, MOST_LINES = 400, NARROW = 0.6, LABEL = 30, LETTER = 6.6;
if (!place || !blocks.length || !window.DecompressionStream)
	return;

async function unpack(block) {
	if (block.type == 'application/json')
		return JSON.parse(block.textContent);
	const bytes = Uint8Array.from(atob(block.textContent.trim()), letter => letter.charCodeAt(0));
	return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).json();
}

// ---- the model: everything has a vector, [base, one value a node], in percent points ----
function modelOf(data) {
	const nodes = data.nodes.map((node, i) => ({ ...node, i, kids: [] })), size = nodes.length + 1;
	nodes.forEach(node => { if (node.parent >= 0) nodes[node.parent].kids.push(node); });
	nodes.forEach(node => { node.root = node.parent >= 0 ? nodes[node.parent].root : node; });
	const roll = values => {
		for (let i = size - 1; i > 0; i--)
			if (nodes[i - 1].parent >= 0)
				values[nodes[i - 1].parent + 1] += values[i];
		return values;
	};
	const vectors = flat => {
		const found = [];
		for (let at = 0; at < flat.length;) {
			const values = new Float64Array(size);
			for (let left = flat[at++]; left > 0; left--, at += 2)
				values[flat[at]] = flat[at + 1] / data.scale;
			found.push(roll(values));
		}
		return found;
	};
	const text = i => data.texts[i], functionValues = vectors(data.functions.values);
	const functions = data.functions.name.map((name, i) => ({
		name: text(name), module: text(data.functions.module[i]), i, v: functionValues[i] || new Float64Array(size) }));
	const lineValues = vectors(data.lines.values);
	const lines = lineValues.map((v, i) => ({
		fn: functions[data.lines.function[i]], file: text(data.lines.file[i]), line: data.lines.line[i], v }));
	const code = data.instructions, codeValues = code ? vectors(code.values) : [];
	const instructions = codeValues.map((v, i) => ({ fn: functions[code.function[i]], address: code.address[i],
		text: text(code.text[i]), file: text(code.file[i]), line: code.line[i], v }));
	const own = vectors(data.calls.values);
	const calls = own.map((v, i) => ({ fn: functions[data.calls.function[i]] || null, up: data.calls.parent[i], own: v }));
	const time = data.time || null;
	if (time && time.values) {
		time.parts = vectors(time.values).map((v, i) => ({ v, moment: time.moment[i], call: time.call[i] }));
		time.values = null;
	}
	const located = nodes.filter(node => node.level == 1 && node.is_located).length;
	return { data, nodes, size, functions, lines, instructions, calls, time, base: data.base, sources: data.sources,
		isWhole: located > 1 && located == nodes.filter(node => node.level == 1).length };
}
const models = (await Promise.all(blocks.map(unpack))).map(modelOf);
let model = models[0];
const isPair = models.length == 2;

// ---- what is chosen ----
const state = { node: null, fn: null, lines: null, from: -1, to: -1, view: 'calls', zoom: null, word: '', side: isPair ? 'after' : '',
	unit: 'cycles', more: SHOWN };
function nodeNamed(name) {
	return model.nodes.find(node => node.title == name || node.name == name) || null;
}
function address() {
	const parts = [], put = (key, value) => parts.push(key + '=' + encodeURIComponent(value));
	if (state.node)
		put('node', state.node.title);
	if (state.fn) {
		put('fn', state.fn.name);
		if (model.functions.some(fn => fn !== state.fn && fn.name == state.fn.name))
			put('in', state.fn.module);
		if (state.lines)
			put('lines', state.lines.join('-'));
	}
	if (state.from >= 0)
		put('span', state.from + '-' + state.to);
	if (state.view != 'calls')
		put('view', state.view);
	if (isPair)
		put('side', state.side + (state.unit == 'cycles' ? '' : '-shares'));
	if (state.word)
		put('q', state.word);
	return parts.length && !(isPair && parts.length == 1 && state.side == 'after') ? '#' + parts.join('&') : '';
}
function restore(isFirst) {
	const found = new Map(location.hash.slice(1).split('&').filter(part => part.includes('=')).map(part => {
		const at = part.indexOf('=');
		try { return [part.slice(0, at), decodeURIComponent(part.slice(at + 1))]; } catch { return ['', '']; }
	}));
	const [side, shares] = (found.get('side') || (isPair ? 'after' : '')).split('-');
	const span = (found.get('span') || '').match(/^(\d+)-(\d+)$/), count = model.time ? model.time.from.length : 0;
	state.side = ['before', 'after', 'difference'].includes(side) && isPair ? side : isPair ? 'after' : '';
	state.unit = shares ? 'shares' : 'cycles';
	model = models[state.side == 'after' || state.side == 'difference' ? models.length - 1 : 0];
	state.node = found.has('node') ? nodeNamed(found.get('node')) : null;
	state.fn = found.has('fn') ? model.functions.find(fn => fn.name == found.get('fn') &&
		(!found.has('in') || fn.module == found.get('in'))) || null : null;
	const lines = (found.get('lines') || '').match(/^(\d+)-(\d+)$/);
	state.lines = lines && state.fn ? [Number(lines[1]), Number(lines[2])] : null;
	state.from = span && Number(span[2]) < count ? Number(span[1]) : -1;
	state.to = state.from >= 0 ? Number(span[2]) : -1;
	state.view = ['calls', 'invert', 'sandwich'].includes(found.get('view')) ? found.get('view') : 'calls';
	// Somebody may be searching already when this is shown first.
	const field = document.querySelector('nav input[type=search]');
	state.word = found.get('q') || (isFirst && field ? field.value : '');
	state.zoom = null;
	document.dispatchEvent(new CustomEvent('topdown-find', { detail: state.word }));
}
function choose(change, isKept = true) {
	Object.assign(state, { more: SHOWN, lines: 'fn' in change ? null : state.lines }, change);
	if (state.view == 'sandwich' && !state.fn)
		state.view = 'calls';
	const next = location.pathname + location.search + address();
	if (isKept && address() != location.hash)
		history.pushState(null, '', next);
	else if (!isKept)
		history.replaceState(null, '', next);
	draw();
}

// ---- values of what is chosen ----
const zero = () => new Float64Array(model.size);
function add(to, from) {
	for (let i = 0; i < to.length; i++)
		to[i] += from[i];
	return to;
}
const hasSpan = () => state.from >= 0 && model.time;
const hasParts = () => Boolean(model.time && model.time.parts && model.time.parts.length);
function ofLevel1(v) {
	return model.nodes.reduce((sum, node) => sum + (node.level == 1 ? v[node.i + 1] : 0), 0);
}
// A vector's amount of what is chosen: of a node, else of the base.
function amount(v) {
	return state.node ? v[state.node.i + 1] : model.base ? v[0] : ofLevel1(v);
}
function largestRoot(v) {
	let best = null;
	for (const node of model.nodes)
		if (node.level == 1 && !/retiring|running/i.test(node.title) && v[node.i + 1] > (best ? v[best.i + 1] : 0))
			best = node;
	return best;
}
// The largest loss, and on from there while one child is at least half of what it is in.
function cause(v) {
	let at = largestRoot(v);
	for (;;) {
		const next = at && at.kids.reduce((best, kid) => !best || v[kid.i + 1] > v[best.i + 1] ? kid : best, null);
		if (!next || v[next.i + 1] < v[at.i + 1] / 2 || !(v[next.i + 1] > 0))
			return at;
		at = next;
	}
}
function moments() {
	return hasSpan() ? [state.from, state.to] : [0, model.time.from.length - 1];
}
// The tree's values: of all of it, of a span, of a function.
function treeValues() {
	const values = zero();
	if (state.fn && model.isWhole)
		return scopeOf().functions.get(state.fn) || values;
	if (!hasSpan() || !model.time.nodes) {
		model.nodes.forEach(node => { values[node.i + 1] = node.value; });
		return values;
	}
	const [from, to] = moments();
	model.nodes.forEach(node => {
		const row = model.time.nodes[node.i];
		let sum = 0, weight = 0;
		for (let i = from; i <= to; i++)
			if (row[i] != null) {
				sum += row[i] / 1e3 * model.time.weight[i];
				weight += model.time.weight[i];
			}
		values[node.i + 1] = weight > 0 ? sum / weight : 0;
	});
	return values;
}
// What belongs to each function and each call of a span, or of all of it.
let scope = null, scopeKey = '';
function scopeOf() {
	const key = [models.indexOf(model), hasSpan() && hasParts() ? state.from + '-' + state.to : ''].join();
	if (key == scopeKey)
		return scope;
	scopeKey = key;
	const functions = new Map(), own = model.calls.map(call => call.own);
	if (hasSpan() && hasParts()) {
		const [from, to] = moments();
		own.forEach((unused, i) => { own[i] = zero(); });
		for (const part of model.time.parts)
			if (part.moment >= from && part.moment <= to)
				add(own[part.call], part.v);
		model.calls.forEach((call, i) => {
			if (call.fn)
				functions.set(call.fn, add(functions.get(call.fn) || zero(), own[i]));
		});
	} else {
		model.functions.forEach(fn => functions.set(fn, fn.v));
	}
	const total = own.map(v => Float64Array.from(v));
	for (let i = total.length - 1; i > 0; i--)
		add(total[model.calls[i].up], total[i]);
	scope = { functions, own, total };
	return scope;
}
// What shares are of.
function whole() {
	if (hasSpan() && hasParts())
		return amount(scopeOf().total[0]) || 1;
	return state.node ? state.node.value : 100;
}

// ---- words and colours ----
const percent = (part, of = 100) => (100 * part / of).toFixed(1);
function colourOf(node) {
	const title = node.root.title;
	return /front/i.test(title) ? 'fe' : /bad/i.test(title) ? 'bad' : /retir|running/i.test(title) ? 'ret' :
		/back/i.test(title) ? 'be' : /waiting/i.test(title) ? 'wait' : 'oth';
}
let paints = new Map(); // of one drawing: the browser takes its time to find one
function paint(name) {
	if (!paints.has(name))
		paints.set(name, getComputedStyle(document.documentElement).getPropertyValue('--' + name).trim());
	return paints.get(name);
}
const baseTitle = () => model.base ? model.base.title : 'slots';
const isClock = () => model.nodes.some(node => node.name == 'waiting'); // its nodes are no slots: threads run, or wait
const chosenTitle = () => state.node ? state.node.title : baseTitle();
function element(name, look, text) {
	const made = document.createElement(name);
	if (look)
		made.className = look;
	if (text !== undefined)
		made.textContent = text;
	if (name == 'button')
		made.type = 'button';
	return made;
}
function button(text, isOn, action) {
	const made = element('button', '', text);
	made.setAttribute('aria-pressed', isOn);
	made.addEventListener('click', action);
	return made;
}
// Level 1 of a vector as parts of a bar; of a chosen node that alone.
function bar(v, most) {
	const made = element('span', 'bars');
	const put = (value, look, said) => {
		if (!(value > 0))
			return;
		const part = element('i', look);
		part.style.width = 100 * value / most + '%';
		part.title = said;
		made.append(part);
	};
	if (state.node)
		put(amount(v), 'f-' + colourOf(state.node), state.node.title);
	else if (model.isWhole)
		model.nodes.filter(node => node.level == 1).forEach(node => put(v[node.i + 1] / (ofLevel1(v) || 1) * amount(v),
			'f-' + colourOf(node), node.title + ' ' + percent(v[node.i + 1], ofLevel1(v)) + ' % of it'));
	else
		put(amount(v), 'f-oth', baseTitle());
	return made;
}

// ---- the parts of the page ----
const parts = {};
function part(name, label) {
	parts[name] = element('section', 'x-' + name);
	parts[name].setAttribute('aria-label', label);
	place.append(parts[name]);
}
part('bar', 'What is shown');
part('tree', 'Tree');
part('functions', 'Functions');
part('flame', 'Calls');
part('lines', 'Lines');
part('time', 'Over time');
const said = element('p', 'said');
said.setAttribute('role', 'status');

function heading(into, text, ...tools) {
	const line = element('div', 'x-head');
	line.append(element('h2', '', text), ...tools);
	into.append(line);
}

// One sentence about what is chosen.
function sentence() {
	const v = treeValues(), worst = cause(v), of = ofLevel1(v) || 100;
	const retiring = model.nodes.find(node => node.level == 1 && /retiring/i.test(node.title));
	const says = [];
	if (hasSpan())
		says.push('From ' + model.time.from[state.from].toFixed(3) + ' to ' + model.time.to[state.to].toFixed(3) + ' s: ');
	if (state.fn)
		says.push(state.fn.name + ' has ' + percent(amount(scopeOf().functions.get(state.fn) || zero()), whole()) + ' % of ' +
			chosenTitle() + '. ');
	if (worst && (!state.fn || model.isWhole))
		says.push((isClock() ? 'Of all threads together: ' : state.fn ? 'It loses most to ' : 'Most is lost to ') + worst.title + ', ' + percent(v[worst.i + 1], of) +
			' %' + (retiring ? '; useful: ' + percent(v[retiring.i + 1], of) + ' %' : '') + '.');
	if (!state.fn && model.functions.length) {
		const top = topFunctions()[0];
		if (top)
			says.push(' ' + percent(amount(top[1]), whole()) + ' % of ' + chosenTitle() + ' is in ' + top[0].name + '.');
	}
	return says.join('').trim();
}

// The page's own words about a node.
function cardOf(node) {
	const row = [...document.querySelectorAll('tr[data-name]')].find(one => one.dataset.name == node.name);
	const name = row && row.querySelector('[popovertarget]');
	return name ? document.getElementById(name.getAttribute('popovertarget')) : null;
}
function drawBar() {
	const tools = element('div', 'x-tools'), at = parts.bar;
	if (isPair) {
		for (const side of ['before', 'after', 'difference'])
			tools.append(button(side[0].toUpperCase() + side.slice(1), state.side == side, () => change(side)));
		tools.append(button(state.unit == 'cycles' ? 'In ' + baseTitle() : 'In shares', false, () =>
			choose({ unit: state.unit == 'cycles' ? 'shares' : 'cycles' })));
	}
	if (state.node)
		tools.append(button('× ' + state.node.title, true, () => choose({ node: null })));
	if (state.fn)
		tools.append(button('× ' + state.fn.name, true, () => choose({ fn: null })));
	if (hasSpan())
		tools.append(button('× ' + model.time.from[state.from].toFixed(2) + ' to ' + model.time.to[state.to].toFixed(2) + ' s',
			true, () => choose({ from: -1, to: -1 })));
	const card = state.node && cardOf(state.node);
	if (card)
		tools.append(button('About ' + state.node.title, false, () => card.showPopover()));
	tools.append(button('Copy as Markdown', false, event => copy(event.target, markdown())),
		button('Save as PNG', false, savePicture));
	said.textContent = state.side == 'difference' ? differenceSentence() : sentence();
	at.replaceChildren(said, tools);
}
// The other side: what is chosen stays where it is there too.
function change(side, more = {}) {
	const node = state.node && state.node.title, fn = state.fn;
	model = models[side == 'before' ? 0 : 1];
	choose({ side, node: node ? nodeNamed(node) : null, fn: fn ? partner(fn, model) : null, zoom: null, from: -1, to: -1,
		...more });
}

// ---- the tree: a row a level, as wide as the share ----
function drawTree() {
	const v = treeValues(), roots = model.nodes.filter(node => node.parent < 0), at = parts.tree;
	const sum = roots.reduce((total, node) => total + v[node.i + 1], 0), of = state.fn && model.isWhole ? sum : Math.max(100, sum);
	const box = element('div', 'x-icicle'), shown = of / (state.fn && model.isWhole ? 1 : isPair && state.unit == 'cycles' ? scale() : 1);
	let deepest = 0;
	function put(node, x, width) {
		const value = v[node.i + 1];
		if (width < 0.15)
			return;
		const made = button('', state.node === node, () => choose({ node: state.node === node ? null : node }));
		made.className = 'k-' + colourOf(node);
		made.style.left = x + '%';
		made.style.width = width + '%';
		made.style.top = (node.level - 1) * 1.75 + 'rem';
		made.append(element('strong', '', percent(value, state.fn && model.isWhole ? of : 100)), ' ' + node.title);
		made.title = node.title + ' ' + percent(value, state.fn && model.isWhole ? of : 100) + ' %';
		made.setAttribute('aria-label', made.textContent + ' %');
		box.append(made);
		deepest = Math.max(deepest, node.level);
		const kids = node.kids.map(kid => [kid, v[kid.i + 1]]).filter(kid => kid[1] > 0);
		const inside = Math.max(kids.reduce((total, kid) => total + kid[1], 0), value);
		kids.forEach(([kid, part]) => {
			put(kid, x, width * part / inside);
			x += width * part / inside;
		});
	}
	let x = 0;
	roots.forEach(node => {
		const width = 100 * v[node.i + 1] / shown;
		put(node, x, width);
		x += width;
	});
	box.style.height = deepest * 1.75 + 'rem';
	at.replaceChildren();
	if (!deepest)
		return;
	const what = isClock() ? 'time' : 'slots', goes = isClock() ? ' goes' : ' go';
	heading(at, 'Where the ' + what + (state.fn && model.isWhole ? ' of ' + state.fn.name : '') + goes);
	at.append(box);
}
// Of a pair the side that takes more fills the width.
function scale() {
	const most = Math.max(...models.map(one => one.base ? one.base.whole : 1));
	return model.base && most > 0 ? model.base.whole / most : 1;
}

// ---- functions ----
function matches(...texts) {
	const word = state.word.trim().toLowerCase();
	return !word || texts.join(' ').toLowerCase().includes(word);
}
function topFunctions() {
	return [...scopeOf().functions].filter(([, v]) => amount(v) > 0).sort((a, b) => amount(b[1]) - amount(a[1]));
}
function row(v, most, text, small, isOn, action) {
	const item = element('li'), made = button('', isOn, action), name = element('span', 'name', text);
	made.className = 'x-row';
	name.append(' ', element('small', '', small));
	made.append(element('span', 'n', percent(amount(v), whole())), bar(v, most), name);
	made.title = text + ' ' + small;
	item.append(made);
	return item;
}
function drawList(into, rows, make) {
	const list = element('ol', 'rows'), left = rows.length - state.more;
	list.append(...rows.slice(0, state.more).map(make));
	list.addEventListener('keydown', event => {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], all = [...list.querySelectorAll('.x-row')];
		if (!step || !all.includes(event.target))
			return;
		event.preventDefault();
		(all[all.indexOf(event.target) + step] || event.target).focus();
	});
	into.append(list);
	if (left > 0)
		into.append(button(left + ' more', false, () => { state.more += 40; draw(); }));
}
function drawFunctions() {
	const at = parts.functions;
	at.replaceChildren();
	if (!model.functions.length)
		return;
	if (state.side == 'difference') {
		drawDifferences(at);
		return;
	}
	const all = topFunctions(), rows = all.filter(([fn]) => matches(fn.name, fn.module)), most = all.length ? amount(all[0][1]) : 1;
	heading(at, 'Functions by ' + chosenTitle() + ', %');
	drawList(at, rows, ([fn, v]) => row(v, most, fn.name, fn.module, fn === state.fn, () =>
		choose({ fn: state.fn === fn ? null : fn })));
	if (!rows.length)
		at.append(element('p', 'dim', state.word ? 'No function has “' + state.word + '”.' :
			state.node && !state.node.is_located ? 'Where ' + state.node.title + ' is was not sampled.' : 'None.'));
	const more = model.data.functions.more;
	if (more && !hasSpan())
		at.append(element('p', 'dim', more + ' smaller functions, together ' + percent(model.data.functions.more_base) + ' % of ' +
			baseTitle() + ', are not in this page.'));
}

// ---- calls ----
const isFn = (call, fn) => model.calls[call].fn === fn;
function isBelow(call, fn) {
	for (let up = model.calls[call].up; up >= 0; up = model.calls[up].up)
		if (isFn(up, fn))
			return true;
	return false;
}
const branch = fn => ({ fn, v: zero(), kids: new Map() });
function kidOf(at, fn) {
	if (!at.kids.has(fn))
		at.kids.set(fn, branch(fn));
	return at.kids.get(fn);
}
// What calls each call: from it upwards.
function climb(root, call, v, skips) {
	add(root.v, v);
	let at = root;
	for (let up = skips ? model.calls[call].up : call; up > 0; up = model.calls[up].up) {
		at = kidOf(at, model.calls[up].fn);
		add(at.v, v);
	}
}
function graph(view) {
	const { own, total } = scopeOf(), root = branch(null), at = [root];
	if (view == 'invert') {
		own.forEach((v, i) => { if (i && amount(v) > 0) climb(root, i, v, false); });
		return root;
	}
	if (view == 'callers') {
		root.fn = state.fn;
		total.forEach((v, i) => { if (isFn(i, state.fn) && !isBelow(i, state.fn)) climb(root, i, v, true); });
		return root;
	}
	if (view == 'callees')
		root.fn = state.fn;
	model.calls.forEach((call, i) => {
		if (view == 'callees') {
			if (call.fn === state.fn && !isBelow(i, state.fn))
				at[i] = root;
			else
				at[i] = call.up >= 0 && at[call.up] ? kidOf(at[call.up], call.fn) : null;
		} else if (i) {
			at[i] = { fn: call.fn, v: zero(), kids: new Map() };
			at[call.up].kids.set(i, at[i]);
		}
		if (at[i])
			add(at[i].v, total[i]);
	});
	return root;
}
const canvas = element('canvas'), tip = element('p', 'tip');
let boxes = [], current = 0, zoomed = null;
canvas.tabIndex = 0;
canvas.setAttribute('role', 'img');
tip.setAttribute('role', 'status');
function layOut(root, x, width, depth, step, up) {
	const box = { at: root, x, width, depth, up };
	if (width < NARROW)
		return;
	boxes.push(box);
	const of = amount(root.v);
	for (const kid of [...root.kids.values()].sort((a, b) => amount(b.v) - amount(a.v))) {
		const wide = of > 0 ? width * amount(kid.v) / of : 0;
		layOut(kid, x, wide, depth + step, step, box);
		x += wide;
	}
}
const nameOf = at => at.fn ? at.fn.name : at.kids.size ? 'all' : '…';
function fillOf(box) {
	const v = box.at.v, worst = state.node || (model.isWhole ? largestRoot(v) : null);
	if (state.side == 'difference' && box.at.delta !== undefined)
		return { fill: box.at.delta > 0 ? paint('more') : paint('less'), strength: Math.min(1, Math.abs(box.at.delta)) };
	if (!worst)
		return { fill: paint('s-oth'), strength: 0.35 };
	const of = state.node && !model.isWhole ? amount(boxes[0].at.v) : ofLevel1(v) || 1;
	return { fill: paint('s-' + colourOf(worst)), strength: Math.min(1, v[worst.i + 1] / of * 1.6) };
}
function paintBoxes(g, list, top, ink) {
	g.font = '12px system-ui, sans-serif';
	g.textBaseline = 'middle';
	for (const box of list) {
		const { fill, strength } = fillOf(box), y = top + box.depth * ROW;
		g.globalAlpha = 0.18 + 0.5 * strength;
		g.fillStyle = fill;
		g.fillRect(box.x, y, Math.max(box.width - 0.6, 0.5), ROW - 1);
		g.globalAlpha = 1;
		if (box.at.fn && box.at.fn === state.fn || state.word && box.at.fn && matches(box.at.fn.name)) {
			g.strokeStyle = state.word && box.at.fn !== state.fn ? paint('worst') : ink;
			g.lineWidth = 2;
			g.strokeRect(box.x + 1, y + 1, Math.max(box.width - 3, 1), ROW - 3);
		}
		if (box.width < LABEL)
			continue;
		const name = nameOf(box.at), fits = Math.floor((box.width - 6) / LETTER);
		g.fillStyle = ink;
		g.fillText(name.length > fits ? name.slice(0, fits - 1) + '…' : name, box.x + 4, y + ROW / 2, box.width - 6);
	}
}
function layOutAll(width) {
	boxes = [];
	if (state.view == 'sandwich') {
		layOut(graph('callees'), 0, width, 0, 1, null);
		const below = boxes;
		boxes = [];
		layOut(graph('callers'), 0, width, 0, -1, null);
		boxes = below.concat(boxes.slice(1));
	} else {
		const root = state.side == 'difference' ? differenceGraph() : graph(state.view);
		let from = root;
		if (state.zoom)
			for (const fn of state.zoom)
				from = [...from.kids.values()].find(kid => kid.fn === fn) || from;
		zoomed = from;
		layOut(from, 0, width, 0, 1, null);
	}
	const least = Math.min(0, ...boxes.map(box => box.depth));
	boxes.forEach(box => { box.depth -= least; });
	return 1 + Math.max(0, ...boxes.map(box => box.depth));
}
function drawFlame() {
	const at = parts.flame;
	if (model.calls.length < 2) {
		at.replaceChildren();
		return;
	}
	if (!canvas.isConnected || at.firstChild?.nextSibling !== canvas) {
		at.replaceChildren();
		heading(at, '');
		at.append(canvas, tip);
	}
	const head = at.querySelector('.x-head');
	const views = [['calls', 'Calls'], ['invert', 'Inverted']].concat(state.fn ? [['sandwich', 'Callers and callees']] : []);
	head.replaceChildren(element('h2', '', 'Flame graph by ' + chosenTitle()),
		...views.map(([view, text]) => button(text, state.view == view, () => choose({ view, zoom: null }))),
		...(state.zoom ? [button('Whole', false, () => choose({ zoom: null }))] : []));
	const width = canvas.clientWidth || at.clientWidth, rows = layOutAll(width), ratio = devicePixelRatio || 1;
	canvas.width = width * ratio;
	canvas.height = rows * ROW * ratio;
	canvas.style.height = rows * ROW + 'px';
	canvas.setAttribute('aria-label', 'Flame graph by ' + chosenTitle() + ': ' + boxes.length +
		' boxes; arrows go through them, Enter enlarges one');
	const g = canvas.getContext('2d');
	g.scale(ratio, ratio);
	paintBoxes(g, boxes, 0, getComputedStyle(canvas).color);
	current = Math.min(current, boxes.length - 1);
}
function tell(box) {
	if (!box) {
		tip.textContent = '';
		return;
	}
	const v = box.at.v, worst = model.isWhole ? cause(v) : null;
	tip.textContent = nameOf(box.at) + (box.at.fn && box.at.fn.module ? ' [' + box.at.fn.module + ']' : '') + '   ' +
		percent(amount(v), whole()) + ' % of ' + chosenTitle() + (worst ? (isClock() ? '   ' : '   loses most to ') + worst.title + ', ' +
		percent(v[worst.i + 1], ofLevel1(v)) + (isClock() ? ' % of it' : ' % of its slots') : '') +
		(box.at.said ? '   ' + box.at.said : '');
}
function under(event) {
	const frame = canvas.getBoundingClientRect(), x = event.clientX - frame.left;
	const depth = Math.floor((event.clientY - frame.top) / ROW);
	return boxes.findIndex(box => box.depth == depth && x >= box.x && x < box.x + box.width);
}
function enlarge(box) {
	const way = [];
	for (let at = box; at && at.up; at = at.up)
		way.unshift(at.at.fn);
	const fn = box.at.fn;
	if (state.view == 'sandwich' || box.at === zoomed)
		choose({ fn: fn || state.fn, zoom: null });
	else
		choose({ fn: fn || state.fn, zoom: (state.zoom || []).concat(way) });
}
canvas.addEventListener('mousemove', event => tell(boxes[under(event)]));
canvas.addEventListener('mouseleave', () => tell(null));
canvas.addEventListener('click', event => {
	const at = under(event);
	if (at >= 0)
		enlarge(boxes[at]);
});
canvas.addEventListener('keydown', event => {
	const box = boxes[current];
	const go = found => { if (found >= 0) { current = found; tell(boxes[current]); outline(boxes[current]); } };
	if (event.key == 'ArrowDown')
		go(boxes.findIndex(one => one.up === box));
	else if (event.key == 'ArrowUp')
		go(boxes.indexOf(box.up));
	else if (event.key == 'ArrowRight' || event.key == 'ArrowLeft') {
		const level = boxes.filter(one => one.depth == box.depth).sort((a, b) => a.x - b.x);
		go(boxes.indexOf(level[level.indexOf(box) + (event.key == 'ArrowRight' ? 1 : -1)]));
	} else if (event.key == 'Home')
		go(0);
	else if (event.key == 'Enter' || event.key == ' ')
		enlarge(box);
	else if (event.key == 'Escape' && state.zoom)
		choose({ zoom: null });
	else
		return;
	event.preventDefault();
	event.stopPropagation();
});
function outline(box) {
	const g = canvas.getContext('2d'), ink = getComputedStyle(canvas).color, ratio = devicePixelRatio || 1;
	g.setTransform(ratio, 0, 0, ratio, 0, 0);
	g.clearRect(0, 0, canvas.width, canvas.height);
	paintBoxes(g, boxes, 0, ink);
	g.strokeStyle = ink;
	g.lineWidth = 3;
	g.strokeRect(box.x + 1.5, box.depth * ROW + 1.5, Math.max(box.width - 4, 1), ROW - 4);
}

// ---- lines ----
const baseName = file => file.slice(file.lastIndexOf('/') + 1);
const isMarked = number => Boolean(state.lines) && number >= state.lines[0] && number <= state.lines[1];
function drawSource(into, source, lines) {
	const of = new Map(lines.map(line => [line.line, line])), most = Math.max(...lines.map(line => amount(line.v)), 1e-9);
	const box = element('div', 'x-source'), last = Math.min(source.lines.length, MOST_LINES);
	box.tabIndex = 0;
	box.setAttribute('role', 'group');
	box.setAttribute('aria-label', 'Source');
	for (let i = 0; i < last; i++) {
		const line = of.get(source.first + i), made = element('div', 'x-line');
		const value = line ? amount(line.v) : 0;
		made.append(element('span', 'n', value > 0 ? percent(value, whole()) : ''),
			line && value > 0 ? bar(line.v, most) : element('span'), element('span', 'dim n', source.first + i),
			element('code', '', source.lines[i]));
		made.classList.toggle('hot', value > 0 && value == most);
		made.classList.toggle('marked', isMarked(source.first + i));
		box.append(made);
	}
	into.append(element('p', 'dim', source.file), box);
	const hot = box.querySelector('.marked') || box.querySelector('.hot');
	if (hot)
		box.scrollTop = Math.max(0, hot.offsetTop - box.offsetTop - 120);
}
// Of a difference both sides' lines, one above the other.
function drawLines() {
	const own = { model, fn: state.fn };
	parts.lines.replaceChildren();
	if (state.side != 'difference' || !own.fn) {
		drawOwnLines(parts.lines, '');
		drawInstructions(parts.lines);
		return;
	}
	models.forEach((one, side) => {
		const fn = one === own.model ? own.fn : partner(own.fn, one);
		if (!fn)
			return;
		model = one;
		state.fn = fn;
		state.node = own.node = state.node && nodeNamed(state.node.title);
		drawOwnLines(parts.lines, side ? 'After: ' : 'Before: ');
	});
	model = own.model;
	state.fn = own.fn;
	state.node = state.node && nodeNamed(state.node.title);
}
// Of the chosen function, in their order.
function drawInstructions(at) {
	const own = model.instructions.filter(one => one.fn === state.fn), most = Math.max(...own.map(one => amount(one.v)), 1e-9);
	if (!state.fn || !own.length || state.word)
		return;
	heading(at, 'Instructions of ' + state.fn.name + ' by ' + chosenTitle() + ', %');
	const box = element('div', 'x-source');
	box.tabIndex = 0;
	box.setAttribute('role', 'group');
	box.setAttribute('aria-label', 'Instructions');
	for (const one of own.slice(0, MOST_LINES)) {
		const made = element('div', 'x-line'), value = amount(one.v);
		made.append(element('span', 'n', value > 0 ? percent(value, whole()) : ''),
			value > 0 ? bar(one.v, most) : element('span'), element('span', 'dim n', one.address.toString(16)),
			element('code', '', (one.text || '').padEnd(40) + (one.line ? '  ' + baseName(one.file) + ':' + one.line : '')));
		made.classList.toggle('hot', value > 0 && value == most);
		box.append(made);
	}
	at.append(box);
}
function drawOwnLines(at, before) {
	const ofFunction = model.lines.filter(line => !state.fn || line.fn === state.fn);
	const rows = ofFunction.filter(line => amount(line.v) > 0 && matches(line.file, line.fn ? line.fn.name : ''))
		.sort((a, b) => amount(b.v) - amount(a.v));
	if (!rows.length)
		return;
	heading(at, before + (state.fn ? 'Lines of ' + state.fn.name : 'Lines') + ' by ' + chosenTitle() + ', %' +
		(hasSpan() ? ', of all of the time' : ''));
	const source = state.fn && !state.word && model.sources.find(one => one.file == rows[0].file &&
		one.first <= rows[0].line && rows[0].line < one.first + one.lines.length);
	if (source) {
		drawSource(at, source, ofFunction.filter(line => line.file == source.file));
		return;
	}
	drawList(at, rows, line => row(line.v, amount(rows[0].v), baseName(line.file) + ':' + line.line,
		line.fn ? line.fn.name : '', isMarked(line.line), () => choose({ fn: line.fn })));
}

// ---- over time: a part that is drawn over, or chosen with the keys, is the span that all else is of ----
const strip = element('canvas');
strip.tabIndex = 0;
strip.setAttribute('role', 'slider');
let begun = -1, ended = -1;
function momentAt(event) {
	const frame = strip.getBoundingClientRect(), time = model.time, count = time.from.length;
	const at = time.from[0] + (event.clientX - frame.left) / frame.width * (time.to[count - 1] - time.from[0]);
	let i = 0;
	while (i + 1 < count && time.from[i + 1] <= at)
		i++;
	return i;
}
function paintTime(g, width, height) {
	const time = model.time, count = time.from.length, first = time.from[0], length = time.to[count - 1] - first || 1;
	const roots = time.nodes ? model.nodes.filter(node => node.level == 1) : [];
	const bases = roots.length || !hasParts() ? null : new Float64Array(count);
	const located = bases ? model.nodes.filter(node => node.level == 1) : [];
	const losses = located.map(() => new Float64Array(count));
	if (bases)
		time.parts.forEach(one => {
			bases[one.moment] += one.v[0];
			located.forEach((node, k) => { losses[k][one.moment] += one.v[node.i + 1]; });
		});
	const most = bases ? Math.max(...bases, 1e-9) : 100;
	for (let i = 0; i < count; i++) {
		const x = (time.from[i] - first) / length * width, wide = Math.max((time.to[i] - time.from[i]) / length * width, 1);
		let y = height;
		const put = (value, colour) => {
			const high = value / most * height;
			g.fillStyle = colour;
			g.fillRect(x, y - high, wide, high);
			y -= high;
		};
		if (bases) {
			located.forEach((node, k) => put(losses[k][i], paint('s-' + colourOf(node))));
			put(Math.max(0, bases[i] - losses.reduce((sum, loss) => sum + loss[i], 0)), paint('s-oth'));
		}
		for (const node of roots)
			if (time.nodes[node.i][i] != null)
				put(time.nodes[node.i][i] / 1e3, paint('s-' + colourOf(node)));
	}
	g.fillStyle = g.strokeStyle = getComputedStyle(strip).color;
	g.font = '11px system-ui, sans-serif';
	(time.phases || []).forEach((at, i) => {
		const x = (time.from[at] - first) / length * width;
		if (i)
			g.fillRect(x - 0.5, 0, 1, height);
		g.fillText(i + 1, x + 3, 11);
	});
	const from = begun >= 0 ? Math.min(begun, ended) : state.from, to = begun >= 0 ? Math.max(begun, ended) : state.to;
	if (from < 0)
		return;
	g.lineWidth = 3;
	g.strokeRect((time.from[from] - first) / length * width + 1.5, 1.5,
		Math.max((time.to[to] - time.from[from]) / length * width - 3, 1), height - 3);
}
function drawTime() {
	const at = parts.time;
	if (!model.time) {
		at.replaceChildren();
		return;
	}
	const time = model.time, count = time.from.length, phases = time.phases || [];
	if (!strip.isConnected) {
		heading(at, '');
		at.append(strip, element('p', 'dim'));
	}
	at.querySelector('.x-head').replaceChildren(element('h2', '', 'Over time'),
		...(phases.length > 1 ? phases.map((from, i) => {
			const to = i + 1 < phases.length ? phases[i + 1] - 1 : count - 1, isOn = state.from == from && state.to == to;
			return button('Phase ' + (i + 1), isOn, () => choose(isOn ? { from: -1, to: -1 } : { from, to }));
		}) : []), ...(hasSpan() ? [button('Whole', false, () => choose({ from: -1, to: -1 }))] : []));
	const width = strip.clientWidth || at.clientWidth, height = 96, ratio = devicePixelRatio || 1;
	strip.width = width * ratio;
	strip.height = height * ratio;
	const g = strip.getContext('2d');
	g.scale(ratio, ratio);
	paintTime(g, width, height);
	strip.setAttribute('aria-label', 'Over time: a span of it');
	strip.setAttribute('aria-valuemin', 0);
	strip.setAttribute('aria-valuemax', count - 1);
	strip.setAttribute('aria-valuenow', Math.max(state.from, 0));
	strip.setAttribute('aria-valuetext', hasSpan() ? time.from[state.from] + ' to ' + time.to[state.to] + ' s' : 'all of the time');
	at.querySelector('p').textContent = time.from[0].toFixed(2) + ' to ' + time.to[count - 1].toFixed(2) +
		' s. Draw over a part, or use the arrow keys: ' + (hasParts() ? 'tree, functions and calls are' : 'the tree is') +
		' of that span.';
}
strip.addEventListener('pointerdown', event => {
	begun = ended = momentAt(event);
	strip.setPointerCapture(event.pointerId);
	drawTime();
});
strip.addEventListener('pointermove', event => {
	if (begun < 0)
		return;
	ended = momentAt(event);
	drawTime();
});
strip.addEventListener('pointerup', event => {
	const a = begun, b = momentAt(event);
	begun = ended = -1;
	if (a >= 0)
		choose({ from: Math.min(a, b), to: Math.max(a, b) });
});
strip.addEventListener('pointercancel', () => { begun = -1; drawTime(); });
strip.addEventListener('keydown', event => {
	const count = model.time.from.length, step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
	if (event.key == 'Escape' && hasSpan()) {
		choose({ from: -1, to: -1 });
	} else if (step && event.shiftKey && hasSpan()) {
		choose({ to: Math.min(Math.max(state.to + step, state.from), count - 1) }, false);
	} else if (step) {
		const length = hasSpan() ? state.to - state.from : 0;
		const from = hasSpan() ? Math.min(Math.max(state.from + step, 0), count - 1 - length) : 0;
		choose({ from, to: from + length }, false);
	} else {
		return;
	}
	event.preventDefault();
	event.stopPropagation();
});

// ---- two measurements ----
const programOf = one => (one.data.command || '').trim().split(/\s+/)[0].split('/').pop();
// The measured program is itself, whatever its file is called.
function homeOf(fn, of) {
	return fn.module == programOf(of) ? '' : fn.module;
}
function partner(fn, other) {
	const from = models.find(one => one.functions[fn.i] === fn);
	return other.functions.find(one => one.name == fn.name && homeOf(one, other) == homeOf(fn, from)) || null;
}
const unitsOf = one => state.unit == 'cycles' && one.base ? one.base.whole / 100 : 1;
function sideAmount(v, one) {
	const node = state.node && one.nodes.find(node => node.title == state.node.title);
	if (state.node && !node)
		return 0;
	return unitsOf(one) * (node ? v[node.i + 1] : one.base ? v[0] : 0);
}
function differences() {
	const found = new Map();
	models.forEach((one, side) => one.functions.forEach(fn => {
		const key = fn.name + '\n' + homeOf(fn, one), at = found.get(key) || { name: fn.name, fns: [], values: [0, 0] };
		at.values[side] += sideAmount(fn.v, one);
		at.fns[side] = fn;
		found.set(key, at);
	}));
	return [...found.values()].map(one => ({ ...one, delta: one.values[1] - one.values[0] }))
		.filter(one => one.delta).sort((a, b) => Math.abs(b.delta) - Math.abs(a.delta));
}
function count(value) {
	const size = Math.abs(value), sign = value > 0 ? '+' : value < 0 ? '−' : '';
	if (state.unit != 'cycles')
		return sign + size.toFixed(1);
	const [by, unit] = size >= 1e9 ? [1e9, ' G'] : size >= 1e6 ? [1e6, ' M'] : size >= 1e3 ? [1e3, ' k'] : [1, ''];
	return sign + (size / by).toPrecision(3) + unit;
}
function differenceSentence() {
	const one = models.map(each => each.base ? each.base.whole : 0);
	return count(one[1] - one[0]) + ' ' + (state.unit == 'cycles' ? baseTitle() : 'points') +
		(state.node ? ', of which ' + count(models.reduce((sum, each, side) => sum + (side ? 1 : -1) *
			sideAmount(treeOf(each), each), 0)) + ' in ' + state.node.title : '') + '. Orange is more, blue less.';
}
function treeOf(one) {
	const v = new Float64Array(one.size);
	v[0] = 100;
	one.nodes.forEach(node => { v[node.i + 1] = node.value; });
	return v;
}
function drawDifferences(at) {
	const rows = differences().filter(one => matches(one.name)), most = rows.length ? Math.abs(rows[0].delta) : 1;
	heading(at, 'Functions: difference in ' + (state.unit == 'cycles' ? chosenTitle() : 'percent points of ' + chosenTitle()));
	drawList(at, rows, one => {
		const item = element('li'), fn = one.fns[1] || one.fns[0];
		const made = button('', fn === state.fn, () => choose({ fn: one.fns[1] ? state.fn === fn ? null : fn : state.fn }));
		const bars = element('span', 'bars'), part = element('i', one.delta > 0 ? 'f-more' : 'f-less');
		const name = element('span', 'name', one.name);
		part.style.width = 100 * Math.abs(one.delta) / most + '%';
		bars.append(part);
		name.append(' ', element('small', '', one.fns[0] ? one.fns[1] ? '' : 'gone' : 'new'));
		made.className = 'x-row';
		made.append(element('span', 'n', count(one.delta)), bars, name);
		item.append(made);
		return item;
	});
}
// Both trees of calls as one: a box is as wide as the mean of both sides.
function differenceGraph() {
	const root = { fn: null, v: zero(), kids: new Map(), values: [0, 0] };
	models.forEach((one, side) => {
		const total = one.calls.map(call => sideAmount(call.own, one));
		for (let i = total.length - 1; i > 0; i--)
			total[one.calls[i].up] += total[i];
		const at = [root];
		one.calls.forEach((call, i) => {
			if (i) {
				const key = call.fn ? call.fn.name + '\n' + homeOf(call.fn, one) : '…', kids = at[call.up].kids;
				if (!kids.has(key))
					kids.set(key, { fn: call.fn, v: zero(), kids: new Map(), values: [0, 0] });
				at[i] = kids.get(key);
				if (side)
					at[i].fn = call.fn;
			}
			at[i].values[side] += total[i];
		});
	});
	(function settle(at) {
		const [before, after] = at.values, most = Math.max(before, after);
		at.v[0] = (before + after) / 2;
		if (state.node)
			at.v[state.node.i + 1] = at.v[0];
		at.delta = most > 0 ? (after - before) / most : 0;
		at.said = count(after - before) + ' (' + count(before).replace('+', '') + ' to ' + count(after).replace('+', '') + ')';
		at.kids.forEach(settle);
	})(root);
	return root;
}

// A reason leads to its node, and to its function's lines on both sides.
function linkReasons() {
	for (const reason of document.querySelectorAll('#reasons tr[data-function]')) {
		const cell = reason.cells[0], node = reason.dataset.node && nodeNamed(reason.dataset.node);
		const made = element('button', 'name', cell.textContent);
		made.addEventListener('click', () => {
			change('difference', { node: node || null, fn: models[1].functions.find(fn => fn.name == reason.dataset.function) ||
				null });
			parts.bar.scrollIntoView({ block: 'start' });
		});
		cell.replaceChildren(made);
	}
}

// ---- to show somewhere else ----
function copy(from, text) {
	const told = word => { from.textContent = word; };
	(navigator.clipboard ? navigator.clipboard.writeText(text) : Promise.reject()).then(() => told('Copied'), () => {
		const field = element('textarea', '', text);
		field.setAttribute('aria-label', 'Markdown');
		from.after(field);
		field.select();
		told('Selected');
	});
}
function markdown() {
	const v = treeValues(), safe = text => text.replace(/[|\\`*_<[\]]/g, '\\$&');
	const nodes = model.nodes.filter(node => v[node.i + 1] >= 1).map(node =>
		'| ' + '&nbsp;'.repeat(3 * (node.level - 1)) + safe(node.title) + ' | ' + v[node.i + 1].toFixed(1) + ' |');
	const functions = topFunctions().slice(0, 10).map(([fn, values]) =>
		'| ' + safe(fn.name) + ' | ' + percent(amount(values), whole()) + ' |');
	return ['**' + safe(document.title) + '**', '', said.textContent, '', '| Node | % |', '|:--|--:|', ...nodes, '',
		...(functions.length ? ['| Function by ' + safe(chosenTitle()) + ' | % |', '|:--|--:|', ...functions] : []), ''].join('\n');
}
function picture() {
	const made = element('canvas'), width = 1200, lists = topFunctions().slice(0, 8), ink = '#1b1e23';
	const rows = layOutAll(width - 40), tree = treeValues();
	const flame = model.calls.length > 1 ? rows * ROW : 0;
	made.width = width;
	made.height = 150 + 26 * lists.length + flame + 40;
	const g = made.getContext('2d');
	g.fillStyle = '#fff';
	g.fillRect(0, 0, made.width, made.height);
	g.fillStyle = ink;
	g.font = '600 20px system-ui, sans-serif';
	g.fillText(document.title.slice(0, 100), 20, 34);
	g.font = '15px system-ui, sans-serif';
	g.fillText(said.textContent.slice(0, 150), 20, 60);
	let x = 20;
	model.nodes.filter(node => node.level == 1).forEach(node => {
		const wide = (width - 40) * tree[node.i + 1] / Math.max(100, ofLevel1(tree));
		g.fillStyle = paint('s-' + colourOf(node));
		g.fillRect(x, 78, wide - 1, 34);
		g.fillStyle = '#000';
		if (wide > 60)
			g.fillText((percent(tree[node.i + 1]) + ' ' + node.title).slice(0, wide / 8), x + 6, 100);
		x += wide;
	});
	lists.forEach(([fn, v], i) => {
		const y = 138 + 26 * i;
		g.fillStyle = paint(state.node ? 's-' + colourOf(state.node) : 's-oth');
		g.fillRect(80, y - 13, 220 * amount(v) / amount(lists[0][1]), 16);
		g.fillStyle = ink;
		g.fillText(percent(amount(v), whole()), 20, y);
		g.fillText(fn.name.slice(0, 90), 312, y);
	});
	if (flame) {
		g.translate(20, 0);
		paintBoxes(g, boxes, 150 + 26 * lists.length, ink);
	}
	return made;
}
function savePicture() {
	picture().toBlob(blob => {
		const link = element('a');
		link.href = URL.createObjectURL(blob);
		link.download = 'topdown.png';
		link.click();
		setTimeout(() => URL.revokeObjectURL(link.href), 1000);
	});
	draw();
}

// ---- all of it ----
function draw() {
	paints = new Map();
	drawBar();
	drawTree();
	drawFunctions();
	drawFlame();
	drawLines();
	drawTime();
}
document.addEventListener('topdown-search', event => {
	if (event.detail.word != state.word)
		choose({ word: event.detail.word }, false);
	if (state.word)
		event.detail.functions = topFunctions().filter(([fn]) => matches(fn.name, fn.module)).length;
});
document.addEventListener('keydown', event => {
	if (event.key != 'Escape' || event.defaultPrevented || event.target.closest('input, textarea, [popover]'))
		return;
	if (state.node || state.fn || hasSpan() || state.zoom)
		choose({ node: null, fn: null, from: -1, to: -1, zoom: null, view: 'calls' });
});
// A while of a picture elsewhere on the page: what is chosen besides stays.
document.addEventListener('click', event => {
	const link = event.target.closest('a[href^="#span="]'), span = link && link.getAttribute('href').match(/(\d+)-(\d+)$/);
	if (!span || !model.time || event.ctrlKey || event.metaKey || event.shiftKey)
		return;
	event.preventDefault();
	choose({ from: Number(span[1]), to: Number(span[2]) });
	place.scrollIntoView({ block: 'nearest' });
});
addEventListener('popstate', () => {
	restore(false);
	draw();
	if (state.lines)
		parts.lines.scrollIntoView({ block: 'start' });
});
let width = 0;
new ResizeObserver(() => {
	if (place.clientWidth == width)
		return;
	width = place.clientWidth;
	draw();
}).observe(place);
new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ['data-theme'] });
matchMedia('(prefers-color-scheme:dark)').addEventListener('change', draw);
addEventListener('beforeprint', () => document.documentElement.classList.add('prints'));
addEventListener('afterprint', () => document.documentElement.classList.remove('prints'));
document.documentElement.classList.add('explores');
if (isPair)
	linkReasons();
restore(true);
draw();
performance.mark('topdown-shown');
})();
