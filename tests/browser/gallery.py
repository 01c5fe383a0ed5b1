#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gallery.py FOLDER - pages of the sample sessions, and a page that links to them. The target `gallery`
writes them to docs/gallery/."""
import html
import os
import pathlib
import sys
import tempfile

sys.path.append(f"{sys.path[0]}/..")
from lib import pages as made

HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>topdown: sample pages</title></head>
<body><main><h1>topdown: sample pages</h1>
<ul>
"""  # noqa: E501


def main():
    folder = pathlib.Path(sys.argv[1])
    topdown = os.environ.get("TOPDOWN", str(made.SOURCE / "build/topdown"))
    folder.mkdir(parents=True, exist_ok=True)
    links = []
    with tempfile.TemporaryDirectory() as scratch:
        pages = made.pages(topdown, pathlib.Path(scratch))
        for counts in sorted(made.GOLDEN.glob("*/counts.json")):
            pages[f"counts {counts.parent.name}"] = ["report", "-l6", str(counts)]
        for name, words in pages.items():
            path = folder / f"{name.replace(' ', '-')}.html"
            made.make(topdown, words, path)
            shown = " ".join(pathlib.Path(word).name if "/" in word else word for word in words)
            links.append(
                f'<li><a href="{path.name}">{html.escape(name)}</a>: <code>topdown'
                f" {html.escape(shown)}</code></li>\n"
            )
    (folder / "index.html").write_text(
        HEAD + "".join(links) + "</ul></main></body></html>\n", encoding="utf-8"
    )
    print(f"{len(links)} pages: {folder / 'index.html'}")


main()
