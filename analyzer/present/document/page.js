// SPDX-License-Identifier: MIT
// MIT, because a copy stands in each page that a user makes, and may go wherever that goes.
// page.js - what makes a page quicker to use; everything on it can be read without. It needs nothing from elsewhere.
function make(name, text, into, where = 'append') {
	const element = document.createElement(name);
	if (name == 'button')
		element.type = 'button';
	element.textContent = text;
	into[where](element);
	return element;
}

(() => {
const all = (what, where = document) => [...where.querySelectorAll(what)];
const root = document.documentElement, main = document.querySelector('main');

// ---- theme: as the system has it, light, dark ----
const themes = ['auto', 'light', 'dark'];
function kept() {
	try { return localStorage.getItem('topdown-theme') || 'auto'; } catch { return 'auto'; }
}
function keep(theme) {
	try { localStorage.setItem('topdown-theme', theme); } catch { /* a page from a file may keep nothing */ }
}
function show(theme, button) {
	root.toggleAttribute('data-theme', theme != 'auto');
	if (theme != 'auto')
		root.setAttribute('data-theme', theme);
	button.textContent = 'Theme: ' + theme;
}
function addTheme(tools) {
	const button = make('button', '', tools);
	let theme = themes.includes(kept()) ? kept() : 'auto';
	show(theme, button);
	button.addEventListener('click', () => {
		theme = themes[(themes.indexOf(theme) + 1) % 3];
		keep(theme);
		show(theme, button);
	});
}

// ---- search: rows without the word disappear, and what they leave empty; folds with it open ----
// What stands above a table, up to the table before it, is about it.
function hideAbout(table, isMissed) {
	for (let at = table.previousElementSibling; at && !at.matches('.table, details, figure'); at = at.previousElementSibling)
		at.classList.toggle('miss', isMissed);
}
function find(word) {
	const low = word.trim().toLowerCase();
	main.classList.toggle('found', low != '');
	let sum = 0, first = null;
	for (const table of all('.table')) {
		let hits = 0;
		for (const row of all('tbody tr', table)) {
			const has = !low || (row.textContent + ' ' + (row.dataset.name || '')).toLowerCase().includes(low);
			row.classList.toggle('miss', !has);
			hits += has;
			first = first || (has && row);
		}
		table.classList.toggle('miss', !hits);
		hideAbout(table, !hits);
		sum += hits;
		const fold = table.closest('details');
		if (fold && low && hits)
			fold.open = true;
	}
	for (const section of all('main > section'))
		section.classList.toggle('miss', low != '' && !section.querySelector('.explorer, tbody tr:not(.miss)'));
	const event = new CustomEvent('topdown-search', { detail: { word, functions: 0 } });
	document.dispatchEvent(event);
	if (low && !event.detail.functions && first)
		first.scrollIntoView({ block: 'center' });
	const rows = sum + (sum == 1 ? ' row' : ' rows');
	return low ? event.detail.functions ? event.detail.functions + ' functions, ' + rows : rows : '';
}
function addSearch(tools) {
	const field = document.createElement('input');
	let timer = 0;
	field.type = 'search';
	field.placeholder = 'Search names ( / )';
	field.setAttribute('aria-label', 'Search names');
	tools.append(field);
	const said = make('span', '', tools);
	said.setAttribute('role', 'status');
	field.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(() => { said.textContent = find(field.value); }, 120);
	});
	document.addEventListener('topdown-find', event => {
		if (field.value == event.detail)
			return;
		field.value = event.detail;
		said.textContent = find(field.value);
	});
	document.addEventListener('keydown', event => {
		if (event.key != '/' || event.ctrlKey || event.metaKey || event.altKey || event.target.closest('input, textarea'))
			return;
		event.preventDefault();
		field.focus();
		field.select();
	});
}

// ---- folds ----
function addFolds(tools) {
	const folds = all('details', main);
	if (!folds.length)
		return;
	const button = make('button', 'Open all', tools);
	button.addEventListener('click', () => {
		const open = button.textContent == 'Open all';
		folds.forEach(fold => { fold.open = open; });
		button.textContent = open ? 'Close all' : 'Open all';
	});
}
function reveal() {
	const target = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
	if (!target)
		return;
	for (let fold = target.closest('details'); fold; fold = fold.parentElement.closest('details'))
		fold.open = true;
	const box = target.matches('tr.minor') && target.closest('.table').querySelector('.all');
	if (box)
		box.checked = true;
	target.scrollIntoView({ block: 'nearest' });
}

// ---- tables: a click on a head sorts, numbers from the largest and text from a to z; a tree stays as it is ----
function valueOf(row, column) {
	const cell = row.cells[column], exact = cell && cell.querySelector('data');
	const text = exact ? exact.value : cell ? cell.textContent.trim() : '';
	const number = text === '' || text == '-' ? NaN : Number(text);
	return { text, number };
}
// What is no number stands last, whichever way is up.
function compare(a, b, way) {
	if (isNaN(a.number) != isNaN(b.number))
		return isNaN(a.number) ? 1 : -1;
	return way * (isNaN(a.number) ? a.text.localeCompare(b.text) : a.number - b.number);
}
function sort(table, head, column) {
	const rows = [...table.tBodies[0].rows].map(row => ({ row, value: valueOf(row, column) }));
	const before = head.getAttribute('aria-sort'), first = rows.some(one => !isNaN(one.value.number)) ? -1 : 1;
	const way = before == 'descending' ? 1 : before ? -1 : first;
	rows.sort((a, b) => compare(a.value, b.value, way));
	all('th', table.tHead).forEach(other => other.removeAttribute('aria-sort'));
	head.setAttribute('aria-sort', way > 0 ? 'ascending' : 'descending');
	table.tBodies[0].append(...rows.map(one => one.row));
}
function addSorting() {
	for (const table of all('table')) {
		if (!table.tHead || table.tBodies[0].rows.length < 2 || table.querySelector('tbody .d1'))
			continue;
		[...table.tHead.rows[0].cells].forEach((head, column) => {
			const button = make('button', head.textContent, head, 'replaceChildren');
			button.addEventListener('click', () => sort(table, head, column));
		});
	}
}

// ---- commands ----
function copyText(text) {
	if (navigator.clipboard)
		return navigator.clipboard.writeText(text);
	return Promise.reject();
}
function addCopying() {
	for (const command of all('.command')) {
		const text = command.querySelector('pre'), button = make('button', 'Copy', command);
		button.setAttribute('aria-label', 'Copy: ' + text.textContent.slice(0, 60));
		button.addEventListener('click', () => {
			copyText(text.textContent).then(() => { button.textContent = 'Copied'; }, () => {
				getSelection().selectAllChildren(text);
				button.textContent = 'Selected';
			});
			setTimeout(() => { button.textContent = 'Copy'; }, 1500);
		});
	}
}

// ---- pictures: a click on a node opens its card ----
function addCards() {
	for (const link of all('.icicle a'))
		link.addEventListener('click', event => {
			const row = document.getElementById(link.getAttribute('href').slice(1));
			const name = row && row.querySelector('[popovertarget]');
			const card = name && document.getElementById(name.getAttribute('popovertarget'));
			if (!card || !card.showPopover)
				return;
			event.preventDefault();
			card.showPopover();
		});
}

// What is led to stands below the bar, whatever rows that has.
function clear() {
	const bar = getComputedStyle(nav).position == 'sticky' ? nav.offsetHeight + 8 : 8;
	root.style.scrollPaddingTop = bar + 'px';
}

// Only what is wider than its place is stopped at by the keyboard.
function mind() {
	for (const wide of all('.wide, pre[tabindex]'))
		wide.tabIndex = wide.scrollWidth > wide.clientWidth ? 0 : -1;
}

let nav = document.querySelector('nav');
if (!nav) {
	nav = document.createElement('nav');
	nav.setAttribute('aria-label', 'Page');
	document.body.prepend(nav);
}
const tools = make('span', '', nav);
tools.className = 'tools';
addSearch(tools);
addFolds(tools);
addTheme(tools);
addSorting();
addCopying();
addCards();
mind();
addEventListener('resize', mind);
clear();
addEventListener('resize', clear);
addEventListener('toggle', mind, true);
addEventListener('hashchange', reveal);
reveal();
})();

// ---- plots over the same axis: what is pointed at in one is said of all; a part that is chosen fills the width ----
(function () {
	const SVG = 'http://www.w3.org/2000/svg', UNITS = 1000, LEAST = 0.002;

	// Round numbers from low to high, some six of them: [value, text].
	function ticks(low, high) {
		const rough = (high - low) / 6, power = Math.pow(10, Math.floor(Math.log10(rough)));
		const step = [1, 2, 5, 10].find(function (digit) {
			return digit * power >= rough;
		}) * power;
		const decimals = Math.max(0, Math.ceil(-Math.log10(step) - 1e-9)), found = [];
		for (let i = Math.ceil(low / step - 1e-6); i * step <= high + step * 1e-6; i++)
			found.push([i * step, (i * step).toFixed(decimals)]);
		return found;
	}

	function plot_of(svg) {
		const area = svg.querySelector('.area'), columns = Array.from(area.querySelectorAll('.column'));
		return {
			svg: svg, area: area, columns: columns, grid: area.querySelector('.gx'), axis: svg.querySelector('g.x'),
			lines: area.querySelector('.gx').getAttribute('d'), texts: Array.from(svg.querySelector('g.x').childNodes),
			starts: columns.map(function (column) {
				return Number(column.getAttribute('x'));
			}),
			placed: Array.from(svg.querySelectorAll('text.m, svg.point')).filter(function (element) {
				return element.getAttribute('x') !== '100%';
			}).map(function (element) {
				return [element, parseFloat(element.getAttribute('x')) / 100];
			}),
			at: null,
		};
	}

	// The column that has the place, in units.
	function column_at(plot, units) {
		let low = 0, high = plot.starts.length;
		while (low + 1 < high) {
			const middle = (low + high) >> 1;
			if (plot.starts[middle] <= units)
				low = middle;
			else
				high = middle;
		}
		return plot.columns[low];
	}

	function group(svgs) {
		const plots = svgs.map(plot_of), first = plots[0].svg, unit = first.getAttribute('data-unit');
		const low = Number(first.getAttribute('data-low')), high = Number(first.getAttribute('data-high'));
		const tools = document.createElement('p'), before = first.closest('figure') || first;
		let from = 0, to = 1, begun = null, brush = null;

		tools.className = 'tools';
		before.parentNode.insertBefore(tools, before);
		const label = make('label', 'moment ', tools), range = document.createElement('input');
		const details = document.createElement('p');
		range.type = 'range';
		range.max = plots[0].columns.length - 1;
		range.value = 0;
		label.appendChild(range);
		details.className = 'details moment';
		before.parentNode.insertBefore(details, before);

		function rescale(plot) {
			const width = to - from, is_whole = width > 1 - 1e-9;
			plot.area.setAttribute('viewBox', from * UNITS + ' 0 ' + width * UNITS + ' ' + UNITS);
			plot.svg.classList.toggle('zoomed', !is_whole);
			plot.placed.forEach(function (pair) {
				const place = (pair[1] - from) / width;
				pair[0].setAttribute('x', 100 * place + '%');
				pair[0].setAttribute('visibility', place < 0 || place > 1 ? 'hidden' : 'visible');
			});
			if (is_whole) {
				plot.axis.replaceChildren(...plot.texts);
				plot.grid.setAttribute('d', plot.lines);
				return;
			}
			const found = ticks(low + from * (high - low), low + to * (high - low));
			plot.axis.replaceChildren(...found.map(function (tick, i) {
				const text = document.createElementNS(SVG, 'text');
				text.setAttribute('x', 100 * ((tick[0] - low) / (high - low) - from) / width + '%');
				text.setAttribute('y', '100%');
				text.setAttribute('dy', '1.3em');
				text.setAttribute('class', i % 2 ? 'w' : '');
				text.textContent = tick[1] + (unit ? ' ' + unit : '');
				return text;
			}));
			plot.grid.setAttribute('d', found.map(function (tick) {
				return 'M' + (tick[0] - low) / (high - low) * UNITS + ' 0V' + UNITS;
			}).join(''));
		}

		function zoom(begin, end) {
			const middle = (begin + end) / 2, half = Math.min(Math.max(end - begin, LEAST), 1) / 2;
			from = Math.min(Math.max(middle - half, 0), 1 - 2 * half);
			to = from + 2 * half;
			plots.forEach(rescale);
		}

		function show(units) {
			const said = [];
			plots.forEach(function (plot) {
				if (plot.at)
					plot.at.classList.remove('at');
				plot.at = column_at(plot, units);
				if (!plot.at)
					return;
				plot.at.classList.add('at');
				const lines = plot.at.textContent.split('\n');
				said.push(...(said.length ? lines.slice(1) : lines));
			});
			details.textContent = said.join('   ');
			range.setAttribute('aria-valuetext', said.join(', '));
		}

		function units_of(plot, event) {
			const box = plot.area.getBoundingClientRect();
			const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
			return (from + share * (to - from)) * UNITS;
		}

		function draw_brush(plot, units) {
			brush.setAttribute('x', Math.min(begun, units));
			brush.setAttribute('width', Math.abs(units - begun));
		}

		// The moment that is shown lies within.
		function zoomTo(begin, end) {
			zoom(begin / UNITS, end / UNITS);
			show((begin + end) / 2);
			range.value = plots[0].columns.indexOf(plots[0].at);
		}

		function listen(plot) {
			plot.svg.addEventListener('pointerdown', function (event) {
				if (event.button !== 0)
					return;
				begun = units_of(plot, event);
				brush = document.createElementNS(SVG, 'rect');
				brush.setAttribute('class', 'brush');
				brush.setAttribute('height', UNITS);
				plot.area.appendChild(brush);
				plot.svg.setPointerCapture(event.pointerId);
				event.preventDefault();
			});
			plot.svg.addEventListener('pointermove', function (event) {
				const units = units_of(plot, event);
				if (begun !== null)
					draw_brush(plot, units);
				show(units);
				range.value = plot.columns.indexOf(plot.at);
			});
			function end(event, is_kept) {
				const units = units_of(plot, event), begin = begun;
				if (begun === null)
					return;
				begun = null;
				brush.remove();
				if (is_kept && Math.abs(units - begin) > (to - from) * UNITS / 100)
					zoomTo(Math.min(units, begin), Math.max(units, begin));
			}
			plot.svg.addEventListener('pointerup', function (event) {
				end(event, true);
			});
			plot.svg.addEventListener('pointercancel', function (event) {
				end(event, false);
			});
			plot.svg.addEventListener('dblclick', function () {
				zoom(0, 1);
			});
		}

		function button(text, act) {
			const element = make('button', text, tools);
			element.addEventListener('click', act);
		}

		// Around the moment that is shown, where it is in sight.
		function scale(factor) {
			const at = (plots[0].starts[Number(range.value)] || 0) / UNITS;
			const middle = at > from && at < to ? at : (from + to) / 2, half = (to - from) * factor / 2;
			zoom(middle - half, middle + half);
		}
		button('Zoom in', function () {
			scale(0.5);
		});
		button('Zoom out', function () {
			scale(2);
		});
		button('Whole', function () {
			zoom(0, 1);
		});
		make('span', 'or draw over a plot to zoom', tools);
		range.addEventListener('input', function () {
			const units = plots[0].starts[Number(range.value)];
			if (units / UNITS < from || units / UNITS >= to)
				zoom(units / UNITS - (to - from) / 2, units / UNITS + (to - from) / 2);
			show(units);
		});
		plots.forEach(listen);
	}

	const groups = new Map();
	document.querySelectorAll('svg.axes[data-group]').forEach(function (svg) {
		const name = svg.getAttribute('data-group');
		groups.set(name, (groups.get(name) || []).concat([svg]));
	});
	groups.forEach(group);
})();
