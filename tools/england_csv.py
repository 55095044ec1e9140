"""Writes notebooks/data/england_flows.csv.gz and england_cases.csv.gz from the shipped england_covid.json.gz.

They are that file as two tables, as anybody's own data would be: days are dates, regions are numbers.
"""

import csv
import gzip
import io
import json
from datetime import date, timedelta
from pathlib import Path

ROOT = Path(__file__).parent.parent
FIRST = date(2020, 3, 13)  # by the readme of the data's authors; the file names no days


def write(name: str, header: list[str], rows):
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(header)
    table.writerows(rows)
    with open(ROOT / "notebooks" / "data" / name, "wb") as raw:
        with gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:  # without name and time: the same bytes each time
            file.write(text.getvalue().encode())


def whole(number):
    return int(number) if number == int(number) else number


def main():
    with gzip.open(ROOT / "datasets" / "pgt" / "england_covid.json.gz") as file:
        data = json.load(file)
    days = [(FIRST + timedelta(t)).isoformat() for t in range(data["time_periods"])]
    graph = data["edge_mapping"]
    flows = (
        [day, *pair, whole(weight)]
        for t, day in enumerate(days)
        for pair, weight in zip(graph["edge_index"][str(t)], graph["edge_weight"][str(t)])
    )
    write("england_flows.csv.gz", ["day", "from", "to", "people"], flows)
    cases = ([day, u, whole(y)] for day, row in zip(days, data["y"]) for u, y in enumerate(row))
    write("england_cases.csv.gz", ["day", "region", "cases"], cases)


if __name__ == "__main__":
    main()
