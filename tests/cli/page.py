#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""page.py - the page of a report: well-formed, nothing from elsewhere, every number of the JSON, hostile
names as text, the session in it."""
import base64
import bisect
import gzip
import hashlib
import html.parser
import json
import re
import sys

sys.path.append(f"{sys.path[0]}/..")
from lib import (
    COUNTS,
    SOURCE,
    check,
    check_all,
    check_failure,
    check_success,
    finish,
    read_json,
    temporary,
    topdown,
)
from lib.explored import View, block

SESSION = SOURCE / "docs/sample-session.json"
PROFILE = SOURCE / "docs/sample-profile.json"
SIMULATED = SOURCE / "tests/cli/formats/simulated.json"
VOID = {"meta", "input", "br", "link", "img", "hr"}
HOSTILE = (
    "</script><script>alert(1)</script>",
    '"\' onload=alert(1) x="',
    "<!--",
    "a\u202eb",
    "é" * 4000,
    "]]>&lt;",
    "'><svg onload=alert(1)>",
)


class Page(html.parser.HTMLParser):
    """What a page has: numbers, ids, links, texts; and what is wrong with its form."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.wrong, self.ids, self.links, self.values, self.tags, self.text = (
            [],
            [],
            [],
            [],
            set(),
            [],
            [],
        )
        self.names, self.attributes = {}, set()
        self.feed(text)
        self.close()
        if self.open:
            self.wrong.append(f"never closed: {self.open}")

    def take_numbers(self, text):
        for part in re.split(r"[;\s]", text):
            if re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", part):
                self.values.add(float(part))

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag not in VOID:
            self.open.append(tag)
        if tag == "p" and any(one in self.open[:-1] for one in ("p", "button")):
            self.wrong.append("a paragraph in a paragraph")
        if len({key for key, _ in attrs}) < len(attrs):
            self.wrong.append(f"an attribute twice: {attrs}")
        own = dict(attrs)
        self.attributes |= set(own)
        if "id" in own:
            self.ids.append(own["id"])
        self.links += [own[key] for key in ("href", "popovertarget", "src", "action", "xmlns") if key in own]
        for key, value in attrs:
            if key.startswith("data-") or (tag, key) == ("data", "value"):
                self.take_numbers(value or "")
        if tag == "tr" and "data-name" in own:
            self.names[own["data-name"]] = own

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open[-1] != tag:
            self.wrong.append(f"</{tag}> in {self.open[-3:]}")
        else:
            self.open.pop()

    def handle_data(self, data):
        if "script" not in self.open and "style" not in self.open:
            self.text.append(data)
            self.take_numbers(data)


def check_form(name, text):
    """Elements are closed in order, ids are there once, links lead to them, and what the policy allows is
    what is there."""
    page = Page(text)
    check(not page.wrong, f"{name}: well-formed", page.wrong[:3])
    check(not any("(null)" in part for part in page.text), f"{name}: everything has its words")
    check(
        len(set(page.ids)) == len(page.ids),
        f"{name}: each id once",
        [one for one in page.ids if page.ids.count(one) > 1][:3],
    )
    lost = [link for link in page.links if link.lstrip("#") not in page.ids]
    check(not lost, f"{name}: links lead to what is there", lost[:3])
    check(
        not re.search(
            r"(?i)\b(src|href|url|xmlns|@import|fetch|XMLHttpRequest)\b\s*[=(]\s*[\"']?\s*(https?:)?//", text
        ),
        f"{name}: no address",
    )
    check(
        not [one for one in page.attributes if one == "style" or one.startswith("on")],
        f"{name}: no style and no handler in an attribute",
    )
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)[1]
    check("default-src 'none'" in policy and "unsafe" not in policy, f"{name}: a strict policy", policy)
    for element in ("style", "script"):
        bodies = re.findall(rf"<{element}>(.*?)</{element}>", text, re.S)
        digests = [base64.b64encode(hashlib.sha256(body.encode()).digest()).decode() for body in bodies]
        allowed = re.search(rf"{element}-src ([^;]*)", policy)[1].split()
        check(
            bodies and allowed == [f"'sha256-{digest}'" for digest in digests],
            f"{name}: the policy allows its {element}, and no other",
            (allowed, digests),
        )
    levels = [int(tag[1]) for tag in page.tags if re.fullmatch("h[1-6]", tag)]
    check(levels[0] == 1 and levels.count(1) == 1, f"{name}: one first heading", levels[:5])
    check_all(
        zip(levels, levels[1:]), lambda a, b: b <= a + 1, f"{name}: no level of headings is left out", least=0
    )
    named = [any(pair) for pair in re.findall(r'(aria-label="[^"]+")?><table>\s*(<caption>)?', text)]
    check(all(named) and len(named) == page.tags.count("table"), f"{name}: each table says what it is")
    return page


def numbers(part, path=""):
    if isinstance(part, dict):
        for key, value in part.items():
            yield from numbers(value, f"{path}.{key}")
    elif isinstance(part, list):
        for number, value in enumerate(part):
            yield from numbers(value, f"{path}[{number}]")
    elif isinstance(part, (int, float)) and not isinstance(part, bool):
        yield path, part


ROWS = 10  # of functions and lines; the others are explored


def without_tails(part):
    """What stands in tables."""
    if isinstance(part, dict):
        return {
            key: without_tails(value[:ROWS] if key in ("functions", "lines") else value)
            for key, value in part.items()
        }
    return [without_tails(one) for one in part] if isinstance(part, list) else part


def check_numbers(name, words):
    """Every number of the JSON is on the page, and each node and metric has its own value in its own row."""
    report = without_tails(json.loads(topdown(*words, "--format", "json").stdout))
    done = topdown(*words, "--format", "html", "--embed")
    check_success(done, name)
    page = check_form(name, done.stdout)
    values = sorted(page.values)
    found = list(numbers(report))
    check(len(found) > 20, f"{name}: there is something to compare", len(found))
    for path, number in found:
        at = bisect.bisect_left(values, number - abs(number) * 1e-9)
        check(
            at < len(values) and values[at] <= number + abs(number) * 1e-9,
            f"{name}: {path} is on the page",
            number,
        )
    for part in report.get("parts", [report]):
        for result in part["nodes"]:
            check(result["name"] in page.names, f"{name}: a row of {result['name']}")
            check(
                page.names[result["name"]].get("data-path") == result["path"],
                f"{name}: the path of {result['name']}",
            )
    return done.stdout


def check_verdict(text):
    """Of the sample: the worst path of the JSON, from its top."""
    report = json.loads(topdown("report", "-l3", SESSION, "--format", "json").stdout)
    path = [node["title"] for node in report["nodes"] if node["worst_path"]]
    said = re.search(r'<p class="verdict">(.*?)</p>', text)[1]
    check(path[-1] in said, "the verdict names the worst node", said)
    way = re.search(r"The worst path is (.*?)</p>", text)[1]
    order = [way.index(title) for title in path]
    check(order == sorted(order) and len(path) == 3, "the way to it", way)
    icicle = re.search(r'<svg class="icicle".*?</svg>', text, re.S)[0]
    for title in path:
        check(re.search(rf"% [▶!] {title}<", icicle), f"the picture marks {title}")
    check(icicle.count('class="k-') > 10 and icicle.count(' worst"') == 1, "and has one worst node")


def check_assessments():
    """What a row says of its threshold is so, and the measurement's own duration is not judged."""
    said = 0
    for part in ("nodes", "metrics"):
        rows = json.loads(topdown("report", "-l6", SESSION, "--format", "json").stdout)[part]
        page = topdown("report", "-v", "-l6", SESSION, "--format", "html").stdout
        for row in rows:
            shown = re.search(rf'<tr[^>]* data-name="{row["name"]}".*?</tr>', page, re.S)[0]
            limit = re.search(r"(ok|high|low): (over|below|up to|from) ([\d.]+)", shown)
            if limit:
                said += 1
                check((limit[1] != "ok") == row["over_threshold"], f"{row['name']}: as the JSON", limit[0])
                is_above = {"over": 1, "below": -1, "up to": -1, "from": 1}[limit[2]]
                check(
                    is_above * (row["value"] - float(limit[3])) >= 0,
                    f"{row['name']}: {limit[0]}",
                    row["value"],
                )
            check(
                not limit or row["unit"] != "s",
                f"{row['name']}: a duration is not judged",
                limit and limit[0],
            )
    check(said > 40, "rows say their threshold", said)


def check_widths(text):
    """Nodes of level 1 are as wide as their shares of what they come to."""
    report = json.loads(topdown("report", "-l3", SESSION, "--format", "json").stdout)
    icicle = re.search(r'<svg class="icicle".*?</svg>', text, re.S)[0]
    shares = {node["title"]: node["value"] for node in report["nodes"] if node["level"] == 1}
    for title, share in shares.items():
        width = float(re.search(rf"<title>{title}: .*?</title><rect [^>]*width=\"([\d.]+)\"", icicle)[1])
        check(
            abs(width + 1 - 1000 * share / max(100, sum(shares.values()))) < 0.1,
            f"the width of {title}",
            width,
        )


def check_session(text):
    """The page is read as the session that it was made of, by every command that reads one."""
    with temporary() as folder:
        page = folder / "page.html"
        page.write_text(text, encoding="utf-8")
        for words in (("report", "-l2"), ("report", "-l6", "--format", "json"), ("metrics", "IPC")):
            if words[0] == "report":
                expected = topdown(*words, SESSION).stdout.replace(str(SESSION), "FILE")
                check(
                    topdown(*words, page).stdout.replace(str(page), "FILE") == expected,
                    f"{words} of a page is that of its session",
                )
        with open(page, "rb") as file:
            check("L3_Miss_Bound" in topdown("report", "-l3", "-", stdin=file).stdout, "a page from a pipe")
        done = topdown("compare", page, SESSION)
        check_success(done, "compare with a page")
        check(
            topdown("report", "--format", "html", "--embed", page, "-l6").stdout
            == text.replace(str(SESSION), str(page)),
            "a page of a page is the same",
        )
        (folder / "page.html.gz").write_bytes(gzip.compress(text.encode()))
        check(
            "L3_Miss_Bound" in topdown("report", "-l3", folder / "page.html.gz").stdout, "a compressed page"
        )
        check_damaged(folder, text)


def check_flat():
    """Counts without a run: a session would invent one, so the page has none and says so."""
    with temporary() as folder:
        page = folder / "page.html"
        check_success(topdown("report", "--embed", COUNTS, "-o", page), "a page of counts")
        text = page.read_text(encoding="utf-8")
        check("topdown-session" not in text and "without a run" in text, "counts are no session")
        check_failure(topdown("report", page), "a page of counts", "without a session")


def check_damaged(folder, text):
    begin = text.index('id="topdown-session">') + len('id="topdown-session">')
    end = text.index("</script>", begin)
    block = text[text.rindex("<script", 0, begin) : end + len("</script>")]
    rows = {
        "without": (text.replace(block, ""), "without a session"),
        "empty": ("<!DOCTYPE html>", "without a session"),
        "two": (text.replace(block, block * 2), "2 sessions"),
        "cut": (text[: begin + 100], "cut"),
        "cut letters": (text[: end - 7] + text[end:], "changed or cut"),
        "odd letters": (text[: begin + 40] + "!!!!" + text[begin + 44 :], "changed or cut"),
        "damaged": (text[: begin + 40] + "AAAA" + text[begin + 44 :], "damaged"),
        "no gzip": (text[:begin] + base64.b64encode(b"{}" * 50).decode() + text[end:], "not gzip"),
        "other JSON": (
            text[:begin] + base64.b64encode(gzip.compress(b'{"format": "x"}')).decode() + text[end:],
            "format",
        ),
        "a page in a page": (
            text[:begin] + base64.b64encode(gzip.compress(text.encode())).decode() + text[end:],
            "neither a session",
        ),
        "a long line": ("<!DOCTYPE html>" + "x" * 10_000_000, "without a session"),
    }
    for name, (content, said) in rows.items():
        (folder / "bad.html").write_text(content, encoding="utf-8")
        check_failure(topdown("report", folder / "bad.html"), name, "bad.html", said)


def check_plain():
    """Where nothing compresses, the session is JSON in which no "<" ends its block."""
    plain = SESSION.read_text(encoding="utf-8").replace('"./prog"', '"./prog \\u003c/script>"')
    with temporary() as folder:
        page = folder / "page.html"
        page.write_text(
            f'<!DOCTYPE html>\n<script type="application/json" id="topdown-session">{plain}</script>',
            encoding="utf-8",
        )
        check("./prog </script>" in topdown("report", page).stdout, "a session as JSON")


def check_hostile():
    """Names are text wherever they stand; long ones are cut, and whole in the title."""
    for name in HOSTILE:
        session = read_json(SESSION)
        session.update(command=name, host=name, machine=name)
        profile = read_json(SIMULATED)
        for line in profile["lines"]:
            line["function"] = name
        for content, words in ((session, ["report"]), (profile, ["report", "--lines"])):
            with temporary() as folder:
                (folder / "s.json").write_text(json.dumps(content), encoding="utf-8")
                text = topdown(*words, "--format", "html", folder / "s.json").stdout
            page = check_form(f"hostile {name[:20]!r}", text)
            check(
                page.tags.count("script") == 3, f"no script comes of {name[:20]!r}", page.tags.count("script")
            )
            check("\u202e" not in text, f"no direction turns in {name[:20]!r}")
            shown = name if "\u202e" not in name else "a"
            check(shown in "".join(page.text) or shown in text, f"{name[:20]!r} is text")


def check_code(text):
    """What a sentence has between backquotes is code, in which nothing is markup."""
    shown = text[: text.index("<script>")]
    check("<code>topdown report FILE</code>" in shown and "`" not in shown, "a command in a sentence is code")
    session = read_json(SESSION)
    session["remarks"] = ["`<b>one</b>` and `another"]
    with temporary() as folder:
        (folder / "s.json").write_text(json.dumps(session), encoding="utf-8")
        text = topdown("report", "--format", "html", folder / "s.json").stdout
    check("<code>&lt;b&gt;one&lt;/b&gt;</code> and `another" in text, "a backquote without another stays")


def check_export(text):
    """A page is a session for exports too."""
    with temporary() as folder:
        page = folder / "page.html"
        page.write_text(text, encoding="utf-8")
        stacks = topdown("export", "--to", "folded", page).stdout
        check(
            ";main;" in stacks and stacks == topdown("export", "--to", "folded", PROFILE).stdout,
            "folded stacks of a page",
            stacks[:200],
        )


def check_explored(name, words):
    """What the JSON report has of each node in each function and line is what the page explores."""
    view = View(block(topdown(*words, "--format", "html").stdout, "topdown-view"))
    titles = [node["title"] for node in view.nodes if node["is_located"]]
    compared = 0
    for title in titles:
        report = json.loads(topdown(*words, "--nodes", title, "--format", "json").stdout)
        profile, at, of = report.get("profile"), view.node(title), view.nodes[view.node(title) - 1]["value"]
        if not profile or profile["title"] != title:
            continue
        known = {}
        for one in view.functions:
            if one.values:
                known.setdefault((one.name, one.module), one.values[at])
        for row in profile["functions"]:
            module = (row["module"] or "").rsplit("/", 1)[-1]
            key = (row["name"] or f"[{module}]", module)
            points = row["self"] * of / 100
            compared += points > 0.02
            check(
                points < 0.02 or abs(known.get(key, 0) - points) < 0.0002,
                f"{name}: {title} in {key[0]}",
                (known.get(key), points),
            )
    check(compared > 10 and titles, f"{name}: functions of nodes are compared", (compared, titles))


def check_many():
    """Of 50,000 functions ten are in a table; the others are explored as far as anything is in them."""
    profile = read_json(SIMULATED)
    line = profile["lines"][0]
    profile["lines"] = [dict(line, function=f"function_{n}", line=n + 1) for n in range(50_000)]
    with temporary() as folder:
        (folder / "s.json").write_text(json.dumps(profile), encoding="utf-8")
        text = topdown("report", "--lines", "--format", "html", folder / "s.json").stdout
    check("and 49990 more functions" in text, "which says that there are more")
    view = View(block(text, "topdown-view"))
    rest = view.data["functions"]["more"]
    there = sum(one.values is not None for one in view.functions)
    check(there + rest == 50_000 and there >= 200, "all are accounted for", (there, rest))


def main():
    text = check_numbers("a measurement", ("report", "-l6", SESSION))
    check_session(text)
    check_flat()
    check_export(check_numbers("a profile", ("report", PROFILE)))
    check_numbers("callers", ("report", "--functions", "--callers", "main", PROFILE))
    check_numbers("a simulation", ("report", "--lines", SIMULATED))
    text = topdown("report", "-l3", SESSION, "--format", "html", "--embed").stdout
    check_verdict(text)
    check_assessments()
    check_widths(text)
    check_code(text)
    check_plain()
    check_hostile()
    check_explored("a simulation", ("report", "--lines", SIMULATED))
    check_many()
    finish()


if __name__ == "__main__":
    main()
