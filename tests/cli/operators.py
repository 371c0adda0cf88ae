#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Hold the tables of an operator study to its samples.

Usage: operators.py DIR
"""
import csv
import pathlib
import statistics
import sys


def read(folder, name):
    with open(folder / name, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def main():
    folder = pathlib.Path(sys.argv[1])
    rows = read(folder, "operator-timings.csv")
    places = {(r["case"], r["module"], r["round"], r["repeat"]) for r in rows}
    medians = {}
    for cost in read(folder, "operator-costs.csv"):
        name = cost["case"], cost["module"]
        us = [float(r["latency_us"]) for r in rows if (r["case"], r["module"]) == name]
        medians[name] = float(cost["median_us"])
        assert abs(statistics.median(us) - medians[name]) < 1e-3 * medians[name], name
        assert float(cost["p10_us"]) <= medians[name] <= float(cost["p90_us"]), name
    for roof in read(folder, "operator-roofline.csv"):
        reached = float(roof["mac"]) / float(roof["median_us"]) * 1e6
        assert abs(reached / float(roof["mac_per_s"]) - 1) < 1e-4, roof
        assert float(roof["products"]) <= float(roof["mac"]), roof
    print(f"{len(rows)} samples, {len(places)} places, {len(medians)} medians")


if __name__ == "__main__":
    main()
