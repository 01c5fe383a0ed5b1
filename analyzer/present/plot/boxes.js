// SPDX-License-Identifier: MIT
// MIT, because a copy stands in each flame graph that a user makes, and may go wherever that goes.
// boxes.js - the boxes of a flame graph: which there are, where each stands when one is zoomed, which have a name. It
// stands before flame_graph.js, which listens. It reads names as text and makes nothing of them but text.
'use strict';
const boxes = (function () {
	const SVG = 'http://www.w3.org/2000/svg', CHARACTER = 7.25, MARGIN = 3, CLOSE = 0.002;

	function number(element, name) {
		return Number(element.getAttribute(name));
	}

	function all(svg) {
		return Array.from(svg.querySelectorAll('g.f'), function (group) {
			const rect = group.querySelector('rect'), title = group.querySelector('title').textContent;
			return {
				group: group, rect: rect, text: group.querySelector('text'), title: title, name: title.split('\n')[0],
				x: number(rect, 'x'), y: number(rect, 'y'), width: number(rect, 'width'), fill: rect.getAttribute('fill'),
				is_shown: true,
			};
		});
	}

	function is_around(frame, inner) {
		return frame.x <= inner.x + CLOSE && frame.x + frame.width >= inner.x + inner.width - CLOSE;
	}

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
		const letters = Array.from(frame.name.slice(0, 4 * most));
		frame.text.setAttribute('x', x + MARGIN);
		frame.text.textContent = letters.length <= most ? letters.join('') : letters.slice(0, most - 1).join('') + '…';
	}

	// The zoomed frame takes the whole width, its callers too; what is in it grows with it, the rest is hidden.
	function place(frames, zoomed, width) {
		const factor = width / zoomed.width;
		frames.forEach(function (frame) {
			const is_caller = frame.y < zoomed.y && is_around(frame, zoomed);
			const x = is_caller ? 0 : Math.max(0, (frame.x - zoomed.x) * factor);
			const wide = is_caller ? width : Math.min(width, frame.width * factor);
			frame.is_shown = is_caller || (frame.y >= zoomed.y && is_around(zoomed, frame));
			frame.group.setAttribute('display', frame.is_shown ? 'inline' : 'none');
			if (!frame.is_shown)
				return;
			frame.rect.setAttribute('opacity', is_caller ? 0.6 : 1);
			frame.rect.setAttribute('x', x);
			frame.rect.setAttribute('width', wide);
			label(frame, x, wide);
		});
	}

	// Marks those with the word, and says how many they are and how much. Frames stand in the order of a walk through the
	// tree, so a match inside another one begins before its end.
	function search(frames, word, mark) {
		const small = word.toLowerCase();
		let sum = 0, count = 0, end = -1;
		frames.forEach(function (frame) {
			const is_found = small !== '' && frame.name.toLowerCase().includes(small);
			mark(frame, is_found);
			if (!is_found)
				return;
			count++;
			if (frame.x >= end - CLOSE) {
				sum += frame.width;
				end = frame.x + frame.width;
			}
		});
		return small === '' ? '' :
			'found: ' + count + ' boxes, ' + (100 * sum / frames[0].width).toFixed(1) + ' % of the width';
	}

	function line(frame, between) {
		return frame.title.split('\n').join(between);
	}

	return { SVG: SVG, all: all, is_around: is_around, place: place, search: search, line: line };
})();
