#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every sentence that src/report says, or puts together elsewhere for it, has its Chinese in chinese.inc, for the same values, and none is stale;
nor is any of tensors.inc.

Usage: sentences.py SRC/report

A sentence is a string literal of two letters and more that goes through as_say: in a call of one of SAYING,
in a table's columns or sections, in a title or a caption, or behind the comment "said".  NAMES are words that every language spells so.
What FINDINGS of `assay env` say goes through add and add_phrase.  In PRINTED, nothing may be printed that is not said.
"""
import pathlib
import re
import sys

SAYING = ("as_paragraph as_item as_cell as_cell_tone as_fold as_heading as_say as_say_into as_page_say "
          "as_facts_format add_phrase say").split()
# Sources outside the folder whose sentences reach a report, beside it.
ELSEWHERE = ["verdict/compare.c", "verdict/tensor.c", "verdict/noise.c", "trial/environment.c"]
FINDINGS = "environment.c"
PRINTED = {"required.c", "against_print.c"}
# Words that come to the reports from elsewhere: verdicts, phases, stages, severities, states of a requirement.
WORDS = set("baseline faster slower equal undecided failed smoke formal profile preprocess forward transfer "
            "postprocess fine unknown note spoils met broken".split()) | {"no interval", "boxes differ"}
NAMES = {"assay", "ms", "PSS MiB", "RSS MiB", "PASS", "assay verify %s", "sha256sum %s   # %s", "assay summarize .",
         "3/%zu = %.2g", "N = %zu", "MACs", "GMAC/s", "GB/s"}
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
    texts += re.findall(r'(?:->plot_|\*)note\s*=\s*((?:"(?:[^"\\]|\\.)*"\s*)+)', source)
    for text in texts:
        for match in LITERAL.finditer(text):
            sentence = joined(match)
            if re.search(r"[A-Za-z]{2}", CONVERSION.sub("", sentence)) and sentence not in NAMES:
                yield sentence


def findings(source):
    """What findings say: every text of add but the name, which is a key."""
    for m in re.finditer(r"\badd\(", source):
        text = re.sub(r'^e, "[a-z-]+",', "", call_text(source, m.end() - 1))
        for match in LITERAL.finditer(text):
            if re.search(r"[A-Za-z]{2}", CONVERSION.sub("", joined(match))):
                yield joined(match)


def unsaid(source):
    """Words that are printed without as_say."""
    for m in re.finditer(r"\b(?:fprintf|fputs|as_put_plain)\(", source):
        text = call_text(source, m.end() - 1)
        while (at := text.find("as_say(")) >= 0:
            text = text[:at] + text[at + 7 + len(call_text(text, at + 6)) + 1:]
        for match in LITERAL.finditer(text):
            if re.search(r"[A-Za-z]{2}", CONVERSION.sub("", joined(match).replace("\\n", ""))):
                yield joined(match)


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
    sources = [*sorted(folder.glob("*.c")), *(folder.parent / name for name in ELSEWHERE)]
    said = WORDS | {s for path in sources if path.name != "language.c"
                    for s in sentences(path.read_text())}
    said |= set(findings((folder.parent / "trial" / FINDINGS).read_text()))
    problems = [f"{name} prints without as_say: {s}" for name in sorted(PRINTED)
                for s in unsaid((folder / name).read_text())]
    chinese, tensors = (table_of(folder / name, problems) for name in ("chinese.inc", "tensors.inc"))
    problems += [f"nobody says: {s}" for s in sorted(set(tensors) - said)]
    said |= set(tensors.values())
    problems += [f"no Chinese: {s}" for s in sorted(said - set(chinese))]
    problems += [f"nobody says: {s}" for s in sorted(set(chinese) - said)]
    print("\n".join(problems) or f"{len(chinese)} sentences")
    sys.exit(bool(problems))


main()
