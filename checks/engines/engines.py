"""Runs the recipes of a page with a folder of exports, and compares their answers with those of lookups.

usage: engines.py addresses FOLDER COUNT   writes random addresses, most of them at the ends of ranges
       engines.py ENGINE FOLDER PAGE       runs a recipe; prints the seconds of its process and the differences
"""

import json
import os
import random
import re
import subprocess
import sys
import time

COLUMNS = ["country", "eu", "lat", "lon", "region", "region_code", "city", "time_zone", "asn", "asn_name"]


def write_addresses(count):
    import duckdb
    import pyarrow
    import pyarrow.parquet
    from ipaddress import IPv6Address

    random.seed(1)
    sample = f"SELECT first, last FROM 'geoip.parquet' USING SAMPLE reservoir({count // 5} ROWS) REPEATABLE (1)"
    numbers = [0xFFFF << 32 | random.getrandbits(32) for _ in range(count // 5)]
    while len(numbers) < count:
        for first, last in duckdb.sql(sample).fetchall():
            low, high = int.from_bytes(first, "big"), int.from_bytes(last, "big")
            numbers += [low, high, low - 1, min(high + 1, 2**128 - 1)]
    random.shuffle(numbers)
    addresses = [IPv6Address(number) for number in numbers[:count]]
    ips = [str(address.ipv4_mapped or address) for address in addresses]
    table = pyarrow.table({"ip": ips, "bytes": [address.packed for address in addresses]})
    pyarrow.parquet.write_table(table, "addresses.parquet")
    with open("addresses.csv", "w") as file:
        file.write("\n".join(["ip", *ips]) + "\n")


def recipe(page, engine):
    """The code of a section of the page."""
    with open(page) as file:
        section = file.read().split(f"\n### {engine}\n")[1].split("\n### ")[0]
    return re.search(r"```\w+\n(.*?)```", section, re.DOTALL)[1]


# Each function runs the recipe, and returns a function that returns the rows: ip and COLUMNS.


def duckdb_rows(code):
    import duckdb

    duckdb.execute(code)
    return lambda: duckdb.sql(f"SELECT ip, {', '.join(COLUMNS)} FROM answers").fetchall()


def clickhouse_rows(code):
    from chdb.session import Session

    session = Session()
    session.query(code)
    query = f"SELECT ip, {', '.join(COLUMNS)} FROM answers"
    return lambda: [json.loads(line) for line in str(session.query(query, "JSONCompactEachRow")).splitlines()]


def python_rows(code):
    names = {}
    exec(code, names)
    answers = names["answers"]
    if hasattr(answers, "select") and hasattr(answers, "rows"):
        return lambda: answers.select("ip", *COLUMNS).rows()
    rows = answers.select("ip", *COLUMNS).collect()
    return lambda: [tuple(row) for row in rows]


def postgres_rows(code):
    def psql(text):
        run = subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1"], input=text, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(run.stderr)
        return run.stdout

    psql(code)
    row = f"json_build_array(host(ip), {', '.join(COLUMNS)})"
    return lambda: [json.loads(line) for line in psql(f"SELECT {row} FROM answers").splitlines()]


def rest_rows(code):
    names = {}
    exec(code, names)
    with open("addresses.csv") as file:
        ips = file.read().split()[1:]
    found = []
    for start in range(0, len(ips), 1000):
        found += names["lookup"](ips[start : start + 1000], os.environ["URL"])
    return lambda: [expected_row(each) for each in found]


ENGINES = {
    "DuckDB": duckdb_rows,
    "ClickHouse": clickhouse_rows,
    "Polars": python_rows,
    "PostgreSQL": postgres_rows,
    "Spark": python_rows,
    "Without an export": rest_rows,
}


def expected_row(result):
    metadata = result.get("answer", {}).get("metadata", {})
    values = {**metadata, **metadata.get("location", {}), **metadata.get("coords", {}), **metadata.get("details", {})}
    return (result["input"], *[values.get(name) for name in COLUMNS])


def normal(row):
    """Engines differ in how they write truth, and lookups write what is unknown as 0, false or an empty text."""
    ip, country, eu, *rest = row
    return (ip, country or "", bool(eu), *[value or "" if isinstance(value, str) else float(value) if value else "" for value in rest])


def main(engine, folder, argument):
    os.chdir(folder)
    if engine == "addresses":
        return write_addresses(int(argument))
    code = recipe(argument, engine)
    start, used = time.monotonic(), time.process_time()
    rows = ENGINES[engine](code)
    seconds, cpu = time.monotonic() - start, time.process_time() - used
    with open("lookups.jsonl") as file:
        expected = {normal(expected_row(each)) for each in map(json.loads, file)}
    found = {normal(row) for row in rows()}
    for row in list(found ^ expected)[:5]:
        print("found" if row in found else "expected", row)
    print(json.dumps({"seconds": seconds, "cpu": cpu, "answers": len(found), "differences": len(found ^ expected)}))


main(*sys.argv[1:])
