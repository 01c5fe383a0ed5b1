#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# pages.sh TOPDOWN FOLDER VERSION DATE - makes the manual pages FOLDER/man1/*.1 and FOLDER/man5/*.5, by pandoc.
#
# The program has the Markdown, with the options of each command. Pages whose Markdown is as before stay.
set -eu
topdown=$1 folder=$2 version=$3 date=$4
source=$(dirname "$0")

# What manual pages have otherwise: no paragraph right behind a heading; examples in the usual font, two columns to the right; and
# dashes that are those of the keyboard everywhere.
tidy() {
	awk '
	/^\.\\" Define V font/ { skipping = 1 }
	skipping { if (/^\.\\[}]$/ && ++ends == 2) skipping = 0; next }
	/^\.PP$/ && after_heading { next }
	/^\.IP$/ { held = 1; next }
	held && /^\.nf$/ {
		if (!after_heading) print ".PP"
		print ".in +2"
		print
		held = after_heading = 0
		inside = 1
		next
	}
	held { print ".IP"; held = 0 }
	inside && /^\.fi$/ { print; print ".in"; inside = 0; next }
	/^\\f\[C\]$/ { next }
	/^\\f\[R\]$/ { next }
	!/^\./ {
		gsub(/\[t[+]-\]/, "[t+\001]") # the name of a sign
		gsub(/-/, "\\-")
		gsub(/\001/, "-")
	}
	{ after_heading = /^\.S[HS] /; print }'
}

mkdir -p "$folder/man1" "$folder/man5" "$folder/markdown"
for file in "$source"/topdown*.md; do
	page=$(basename "$file" .md)
	section=${page##*.}
	name=$(echo "${page%.*}" | tr '[:lower:]' '[:upper:]')
	made=$folder/man$section/$page
	markdown=$folder/markdown/$page.md
	{
		echo "<!-- $version, $date -->"
		"$topdown" help --format markdown "$page"
	} >"$markdown.new"
	if [ -f "$made" ] && [ "$made" -nt "$0" ] && [ "$made" -nt "$source/page.lua" ] && cmp -s "$markdown.new" "$markdown"; then
		rm "$markdown.new"
		continue
	fi
	pandoc -f commonmark+pipe_tables -t man -s --lua-filter="$source/page.lua" -V title="$name" -V section="$section" \
		-V date="$date" -V footer="topdown $version" -V header="topdown manual" -o "$made.pandoc" "$markdown.new"
	tidy <"$made.pandoc" >"$made.new"
	rm "$made.pandoc"
	mv "$made.new" "$made"
	mv "$markdown.new" "$markdown"
done
