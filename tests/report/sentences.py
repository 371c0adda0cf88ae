#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every sentence that src/report says has its Chinese in chinese.inc, for the same values, and none is stale;
nor is any of tensors.inc.

Usage: sentences.py SRC/report

A sentence is a string literal of two letters and more that goes through as_say: in a call of one of SAYING,
in a table's columns or sections, in a title or a caption, or behind the comment "said".  NAMES are words that every language spells so.
"""
import pathlib
import re
import sys

SAYING = ("as_paragraph as_item as_cell as_cell_tone as_fold as_heading as_say as_say_into as_page_say "
          "as_facts_format add_phrase say").split()
# Words that come to the reports from elsewhere: verdicts, phases, stages.
WORDS = set("baseline faster slower equal undecided failed smoke formal profile preprocess forward transfer "
            "postprocess".split()) | {"no interval", "boxes differ"}
NAMES = {"assay", "ms", "PSS MiB", "RSS MiB", "PASS", "assay verify %s", "sha256sum %s   # %s", "assay summarize .",
         "3/%zu = %.2g", "N = %zu"}
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"(?:\s*"((?:[^"\\]|\\.)*)")*')
CONVERSION = re.compile(r"%(?:(\d+)\$)?[-+ #0]*[\d.*]*(hh|h|ll|l|z|j|t)?([diouxXeEfgGcsp%])")


def joined(match):
    """The text of adjacent literals."""
    return "".join(re.findall(r'"((?:[^"\\]|\\.)*)"', match.group(0)))


def call_text(source, start):
    """What stands between the parentheses that open at `start`."""
    depth, at, quoted = 0, start, False
    while True:
        c = source[at]
        if quoted:
            at += c == "\\"
            quoted = c != '"'
        elif c == '"':
            quoted = True
        elif c in "()":
            depth += 1 if c == "(" else -1
            if depth == 0:
                return source[start + 1:at]
        at += 1


def sentences(source):
    """What a source says, with the fields that hold titles and captions."""
    said = re.findall(r"/\* said \*/(.*?);", source, flags=re.S)
    source = re.sub(r"/\*.*?\*/", "", source, flags=re.S)
    texts = said + [call_text(source, m.end() - 1)
             for m in re.finditer(r"\b(?:%s)\(" % "|".join(SAYING), source)]
    texts += re.findall(r'\{\s*((?:"[^"\n]*"\s*)+), (?:true|false)\}', source)
    texts += re.findall(r'\{"[a-z-]+", ("[^"\n]*"), as_section_', source)
    texts += re.findall(r'\.(?:title|caption|plot_note)\s*=\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', source)
    texts += re.findall(r'->plot_note\s*=\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', source)
    for text in texts:
        for match in LITERAL.finditer(text):
            sentence = joined(match)
            if re.search(r"[A-Za-z]{2}", CONVERSION.sub("", sentence)) and sentence not in NAMES:
                yield sentence


def conversions(text):
    """{place: conversion} of a format; all by number or all in order."""
    found = {}
    for i, m in enumerate(m for m in CONVERSION.finditer(text) if m.group(3) != "%"):
        found[int(m.group(1) or i + 1)] = (m.group(2) or "") + m.group(3)
    return found


def table_of(path, problems):
    """{English: other} of a table; what is wrong in it goes to `problems`."""
    table = {}
    text = re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S)
    for m in re.finditer(r"AS_SENTENCE\(", text):
        both = [joined(x) for x in LITERAL.finditer(call_text(text, m.end() - 1))]
        if len(both) != 2:
            problems.append(f"no pair: {both}")
            continue
        english, other = both
        if english in table:
            problems.append(f"twice: {english}")
        table[english] = other
        if conversions(english) != conversions(other):
            problems.append(f"other values: {english}  |  {other}")
    return table


def main():
    folder = pathlib.Path(sys.argv[1])
    sources = [*sorted(folder.glob("*.c")), folder.parent / "verdict/compare.c"]
    said = WORDS | {s for path in sources if path.name != "language.c"
                    for s in sentences(path.read_text())}
    problems = []
    chinese, tensors = (table_of(folder / name, problems) for name in ("chinese.inc", "tensors.inc"))
    problems += [f"nobody says: {s}" for s in sorted(set(tensors) - said)]
    said |= set(tensors.values())
    problems += [f"no Chinese: {s}" for s in sorted(said - set(chinese))]
    problems += [f"nobody says: {s}" for s in sorted(set(chinese) - said)]
    print("\n".join(problems) or f"{len(chinese)} sentences")
    sys.exit(bool(problems))


main()
