// SPDX-License-Identifier: MIT
// MIT, because a copy stands in each flame graph that a user makes, and may go wherever that goes.
// flame_graph.js - zoom, search and details of the flame graph that it stands in. It reads names as text and makes
// nothing of them but text; it needs nothing from elsewhere.
'use strict';
(function () {
	const SVG = 'http://www.w3.org/2000/svg', HTML = 'http://www.w3.org/1999/xhtml';
	const CHARACTER = 7.25, MARGIN = 3, CLOSE = 0.002, FOUND = '#ff80ff';
	const script = document.currentScript;
	const svg = (script && script.ownerSVGElement) || document.documentElement;
	const width = Number(svg.getAttribute('width'));
	const details = svg.querySelector('#details');
	let zoomed = null, field = null, found = '';

	function number(element, name) {
		return Number(element.getAttribute(name));
	}

	const frames = Array.from(svg.querySelectorAll('g.f')).map(function (group) {
		const rect = group.querySelector('rect'), title = group.querySelector('title').textContent;
		return {
			group: group, rect: rect, text: group.querySelector('text'), title: title, name: title.split('\n')[0],
			x: number(rect, 'x'), y: number(rect, 'y'), width: number(rect, 'width'), fill: rect.getAttribute('fill'),
		};
	});

	function label(frame, x, room) {
		const most = Math.floor((room - 2 * MARGIN) / CHARACTER);
		if (most < 3) {
			if (frame.text)
				frame.text.textContent = '';
			return;
		}
		if (!frame.text) {
			frame.text = document.createElementNS(SVG, 'text');
			frame.text.setAttribute('y', frame.y + 12);
			frame.group.appendChild(frame.text);
		}
		const letters = Array.from(frame.name);
		frame.text.setAttribute('x', x + MARGIN);
		frame.text.textContent = letters.length <= most ? frame.name : letters.slice(0, most - 1).join('') + '…';
	}

	function place(frame, x, wide) {
		frame.group.setAttribute('display', 'inline');
		frame.rect.setAttribute('x', x);
		frame.rect.setAttribute('width', wide);
		label(frame, x, wide);
	}

	function is_around(frame, inner) {
		return frame.x <= inner.x + CLOSE && frame.x + frame.width >= inner.x + inner.width - CLOSE;
	}

	// The frame takes the whole width, its callers too; what is in it grows with it, the rest is hidden.
	function zoom(target) {
		const factor = width / target.width;
		zoomed = target === frames[0] ? null : target;
		frames.forEach(function (frame) {
			const is_caller = frame.y < target.y && is_around(frame, target);
			frame.rect.setAttribute('opacity', is_caller && zoomed ? 0.6 : 1);
			if (is_caller)
				place(frame, 0, width);
			else if (frame.y >= target.y && is_around(target, frame))
				place(frame, Math.max(0, (frame.x - target.x) * factor), Math.min(width, frame.width * factor));
			else
				frame.group.setAttribute('display', 'none');
		});
		reset.setAttribute('display', zoomed ? 'inline' : 'none');
	}

	// Frames stand in the order of a walk through the tree, so a match inside another one begins before its end.
	function search(wanted) {
		const small = wanted.toLowerCase();
		let sum = 0, count = 0, end = -1;
		frames.forEach(function (frame) {
			const is_found = small !== '' && frame.name.toLowerCase().includes(small);
			frame.rect.setAttribute('fill', is_found ? FOUND : frame.fill);
			if (!is_found)
				return;
			count++;
			if (frame.x >= end - CLOSE) {
				sum += frame.width;
				end = frame.x + frame.width;
			}
		});
		found = small === '' ? '' :
			'found: ' + count + ' frames, ' + (100 * sum / width).toFixed(1) + ' % of the width';
		details.textContent = found;
	}

	function button(x, text, action) {
		const element = document.createElementNS(SVG, 'text');
		element.setAttribute('x', x);
		element.setAttribute('y', 20);
		element.setAttribute('text-decoration', 'underline');
		element.setAttribute('cursor', 'pointer');
		element.textContent = text;
		element.addEventListener('click', action);
		svg.appendChild(element);
		return element;
	}

	function add_field() {
		const frame = document.createElementNS(SVG, 'foreignObject');
		frame.setAttribute('x', width - 190);
		frame.setAttribute('y', 4);
		frame.setAttribute('width', 186);
		frame.setAttribute('height', 26);
		field = document.createElementNS(HTML, 'input');
		field.setAttribute('type', 'search');
		field.setAttribute('placeholder', 'search (Ctrl-F)');
		field.setAttribute('aria-label', 'search functions');
		field.setAttribute('size', '20');
		field.addEventListener('input', function () {
			search(field.value);
		});
		frame.appendChild(field);
		svg.appendChild(frame);
	}

	const reset = button(width - 290, 'reset zoom', function () {
		zoom(frames[0]);
	});
	reset.setAttribute('display', 'none');
	add_field();

	frames.forEach(function (frame) {
		frame.group.setAttribute('cursor', 'pointer');
		frame.group.addEventListener('click', function () {
			zoom(frame === zoomed ? frames[0] : frame);
		});
		frame.group.addEventListener('mouseover', function () {
			details.textContent = frame.title.split('\n').join('   ');
		});
		frame.group.addEventListener('mouseout', function () {
			details.textContent = found;
		});
	});
	window.addEventListener('keydown', function (event) {
		if (event.key === 'F3' || ((event.ctrlKey || event.metaKey) && event.key === 'f')) {
			event.preventDefault();
			field.focus();
		} else if (event.key === 'Escape') {
			field.value = '';
			search('');
			zoom(frames[0]);
		}
	});
})();
