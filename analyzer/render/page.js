// SPDX-License-Identifier: MIT
// MIT, because a copy stands in each page that a user makes, and may go wherever that goes.
// page.js - what makes a page quicker to use; everything on it can be read without. It needs nothing from elsewhere.
'use strict';
(() => {
const all = (what, where = document) => [...where.querySelectorAll(what)];
const root = document.documentElement, main = document.querySelector('main');

function make(name, text, into, where = 'append') {
	const element = document.createElement(name);
	if (name == 'button')
		element.type = 'button';
	element.textContent = text;
	into[where](element);
	return element;
}

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

// ---- search: rows without the word disappear, folds with it open ----
function find(word) {
	const low = word.trim().toLowerCase();
	main.classList.toggle('found', low != '');
	for (const table of all('.table')) {
		let hits = 0;
		for (const row of all('tbody tr', table)) {
			const has = !low || (row.textContent + ' ' + (row.dataset.name || '')).toLowerCase().includes(low);
			row.classList.toggle('miss', !has);
			hits += has;
		}
		table.classList.toggle('miss', !hits);
		const fold = table.closest('details');
		if (fold && low && hits)
			fold.open = true;
	}
}
function addSearch(tools) {
	const field = document.createElement('input');
	let timer = 0;
	field.type = 'search';
	field.placeholder = 'Search names ( / )';
	field.setAttribute('aria-label', 'Search names');
	tools.append(field);
	field.addEventListener('input', () => {
		clearTimeout(timer);
		timer = setTimeout(() => find(field.value), 120);
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

// ---- tables: a click on a head sorts; a tree stays as it is ----
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
	const way = head.getAttribute('aria-sort') == 'descending' ? 1 : -1;
	const rows = [...table.tBodies[0].rows].map(row => ({ row, value: valueOf(row, column) }));
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
addEventListener('toggle', mind, true);
addEventListener('hashchange', reveal);
reveal();
})();
