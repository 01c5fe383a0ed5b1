#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""gallery.py FOLDER - pages of the sample sessions, and a page that links to them, with a picture of each
where there is a Chromium. The target `gallery` writes them to docs/gallery/."""
import html
import os
import pathlib
import sys
import tempfile

sys.path.append(f"{sys.path[0]}/..")
from lib import chromium, pages as made

WIDTH, HEIGHT, SCALE = 1280, 960, 0.3
HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><title>topdown: sample pages</title>
<style>
body { font: 1rem/1.4 system-ui, sans-serif; margin: 0 auto; max-width: 90rem; padding: 0 1rem 3rem }
ul { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fill, minmax(20rem, 1fr)); padding: 0 }
li { list-style: none; overflow-wrap: anywhere }
img { border: 1px solid #8886; border-radius: .4rem; display: block; height: auto; width: 100% }
code { font-size: .85rem }
</style></head>
<body><main><h1>topdown: sample pages</h1>
<ul>
"""


def pictures(folder, names):
    """{name: its picture} where a browser is here."""
    if not chromium.find():
        return {}
    found = {}
    with chromium.Browser() as browser:
        for name in names:
            tab = browser.open(folder / f"{name}.html", width=WIDTH, height=HEIGHT)
            tab.run("new Promise(done => setTimeout(done, 300))")
            tab.small_picture(folder / f"{name}.png", WIDTH, HEIGHT, SCALE)
            tab.close()
            found[name] = f"{name}.png"
    return found


def item(name, words, picture):
    file = name.replace(" ", "-")
    shown = " ".join(pathlib.Path(word).name if "/" in word else word for word in words)
    image = f'<img src="{picture}" alt="" loading="lazy">' if picture else ""
    return (
        f'<li><a href="{file}.html">{image}{html.escape(name)}</a>: <code>topdown'
        f" {html.escape(shown)}</code></li>\n"
    )


def main():
    folder = pathlib.Path(sys.argv[1])
    topdown = os.environ.get("TOPDOWN", str(made.SOURCE / "build/topdown"))
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        pages = made.pages(topdown, pathlib.Path(scratch))
        for counts in sorted(made.GOLDEN.glob("*/counts.json")):
            pages[f"counts {counts.parent.name}"] = ["report", "-l6", str(counts)]
        for name, words in pages.items():
            made.make(topdown, words, folder / f"{name.replace(' ', '-')}.html")
    images = pictures(folder, [name.replace(" ", "-") for name in pages])
    links = [item(name, words, images.get(name.replace(" ", "-"))) for name, words in pages.items()]
    (folder / "index.html").write_text(
        HEAD + "".join(links) + "</ul></main></body></html>\n", encoding="utf-8"
    )
    print(f"{len(links)} pages, {len(images)} pictures: {folder / 'index.html'}")


main()
