// SPDX-License-Identifier: MIT
// MIT, because a copy stands in each flame graph that a user makes, and may go wherever that goes.
// flame_graph.js - zoom, search and details of the flame graph that it stands in, behind boxes.js. It needs nothing from
// elsewhere.
(function () {
	const HTML = 'http://www.w3.org/1999/xhtml', FOUND = '#ff80ff';
	const script = document.currentScript;
	const svg = (script && script.ownerSVGElement) || document.documentElement;
	const width = Number(svg.getAttribute('width'));
	const details = svg.querySelector('#details'), frames = boxes.all(svg);
	let zoomed = frames[0], field = null, found = '';

	function zoom(frame) {
		zoomed = frame;
		boxes.place(frames, frame, width);
		reset.setAttribute('display', frame === frames[0] ? 'none' : 'inline');
	}

	function search(word) {
		found = boxes.search(frames, word, function (frame, is_found) {
			frame.rect.setAttribute('fill', is_found ? FOUND : frame.fill);
		});
		details.textContent = found;
	}

	function button(x, text, action) {
		const element = document.createElementNS(boxes.SVG, 'text');
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
		const frame = document.createElementNS(boxes.SVG, 'foreignObject');
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
			details.textContent = boxes.line(frame, '   ');
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
