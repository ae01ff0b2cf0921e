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
import types

# The addresses that differ.
DISTINCT = 1_000_000
# The columns that a recipe has, if not all.
CHOSEN = {"ClickHouse with a dictionary": ["country", "city", "asn"]}
COLUMNS = CHOSEN.get(sys.argv[1]) or ["country", "eu", "lat", "lon", "region", "region_code", "city", "time_zone", "asn", "asn_name"]


def write_addresses(count):
    import duckdb
    import numpy
    import pyarrow
    import pyarrow.csv
    import pyarrow.parquet
    from ipaddress import IPv6Address

    random.seed(1)
    distinct = min(count, DISTINCT)
    sample = f"SELECT first, last FROM 'geoip.parquet' USING SAMPLE reservoir({distinct // 5} ROWS) REPEATABLE (1)"
    numbers = [0xFFFF << 32 | random.getrandbits(32) for _ in range(distinct // 5)]
    while len(numbers) < distinct:
        for first, last in duckdb.sql(sample).fetchall():
            low, high = int.from_bytes(first, "big"), int.from_bytes(last, "big")
            numbers += [low, high, max(low - 1, 0), min(high + 1, 2**128 - 1)]
    random.shuffle(numbers)
    addresses = [IPv6Address(number) for number in numbers[:distinct]]
    ips = [str(address.ipv4_mapped or address) for address in addresses]
    with open("distinct.txt", "w") as file:
        file.write("\n".join(ips) + "\n")
    table = pyarrow.table({"ip": ips, "bytes": [address.packed for address in addresses]})
    # As in a log, few addresses have most of the lines.
    repeated = (numpy.random.default_rng(1).random(count - distinct) ** 4 * distinct).astype(int)
    table = table.take(numpy.concatenate([numpy.arange(distinct), repeated]))
    pyarrow.parquet.write_table(table, "addresses.parquet")
    pyarrow.csv.write_csv(table.select(["ip"]), "addresses.csv")


def recipe(page, engine):
    """The code of a section of the page."""
    with open(page) as file:
        section = file.read().split(f"\n### {engine}\n")[1].split("\n### ")[0]
    return re.search(r"```\w+\n(.*?)```", section, re.DOTALL)[1]


# Each function runs the recipe, and returns a function that returns the rows: ip and COLUMNS.


def duckdb_rows(code):
    import duckdb

    duckdb.execute(code)
    return lambda: duckdb.sql(f"SELECT DISTINCT ip, {', '.join(COLUMNS)} FROM answers").fetchall()


def clickhouse_rows(code):
    from chdb.session import Session

    session = Session()
    session.query(code)
    query = f"SELECT DISTINCT ip, {', '.join(COLUMNS)} FROM answers"
    return lambda: [json.loads(line) for line in str(session.query(query, "JSONCompactEachRow")).splitlines()]


def python_rows(code):
    names = {}
    exec(code, names)
    answers = names["answers"]
    if hasattr(answers, "select") and hasattr(answers, "rows"):
        return lambda: answers.select("ip", *COLUMNS).unique().rows()
    answers.write.mode("overwrite").parquet("answers.parquet")
    rows = answers.sparkSession.read.parquet("answers.parquet").select("ip", *COLUMNS).distinct().collect()
    return lambda: [tuple(row) for row in rows]


def postgres_rows(code):
    def psql(text):
        run = subprocess.run(["psql", "-qAtX", "-v", "ON_ERROR_STOP=1"], input=text, capture_output=True, text=True)
        if run.returncode != 0:
            sys.exit(run.stderr)
        return run.stdout

    psql(code)
    # The server's process for it ends later, and is then counted with the server.
    time.sleep(1)
    row = f"json_build_array(host(ip), {', '.join(COLUMNS)})"
    return lambda: [json.loads(line) for line in psql(f"SELECT {row} FROM (SELECT DISTINCT * FROM answers) each").splitlines()]


def rest_rows(code):
    names = {}
    exec(code, names)
    with open("addresses.csv") as file:
        ips = file.read().replace('"', "").split()[1:]
    found = []
    for start in range(0, len(ips), 1000):
        calls = {"calls": [[ip] for ip in ips[start : start + 1000]]}
        found += map(json.loads, names["bigquery"](types.SimpleNamespace(get_json=lambda: calls))["replies"])
    return lambda: [expected_row(each) for each in found]


ENGINES = {
    "DuckDB": duckdb_rows,
    "ClickHouse": clickhouse_rows,
    "ClickHouse with a dictionary": clickhouse_rows,
    "Polars": python_rows,
    "PostgreSQL": postgres_rows,
    "Spark": python_rows,
    "Without an export": rest_rows,
}


def processes():
    """The processes that this one started, itself, and the server of PostgreSQL."""
    server = os.path.join(os.environ.get("PGHOST", ""), "db", "postmaster.pid")
    roots = {os.getpid()}
    if os.path.exists(server):
        with open(server) as file:
            roots.add(int(file.readline()))
    found = {}
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{name}/stat") as file:
                found[int(name)] = file.read().rpartition(")")[2].split()
        except FileNotFoundError:
            continue
    while added := {pid for pid, stat in found.items() if int(stat[1]) in roots} - roots:
        roots |= added
    return {pid: found[pid] for pid in roots if pid in found}


def processor_time():
    """In seconds, with that of processes that have ended."""
    return sum(sum(map(int, stat[11:15])) for stat in processes().values()) / os.sysconf("SC_CLK_TCK")


def peak_memory():
    """The sum of the largest memory of each process, in MB."""
    total = 0
    for pid in processes():
        with open(f"/proc/{pid}/status") as file:
            # A process that has ended has none.
            total += sum(map(int, re.findall(r"VmHWM:\s+(\d+)", file.read())))
    return total / 1000


def expected_row(result):
    metadata = result.get("answer", {}).get("metadata", {})
    values = {**metadata, **metadata.get("location", {}), **metadata.get("coords", {}), **metadata.get("details", {})}
    return (result["input"], *[values.get(name) for name in COLUMNS])


def normal(row):
    """Engines differ in how they write truth, and lookups write what is unknown as 0, false or an empty text."""
    return tuple(value if isinstance(value, str) else float(value) if value else "" for value in row)


def main(engine, folder, argument):
    os.chdir(folder)
    if engine == "addresses":
        return write_addresses(int(argument))
    code = recipe(argument, engine)
    before = processor_time()
    rows = ENGINES[engine](code)
    cpu, peak = processor_time() - before, peak_memory()
    with open("lookups.jsonl") as file:
        expected = {normal(expected_row(each)) for each in map(json.loads, file)}
    found = {normal(row) for row in rows()}
    for row in list(found ^ expected)[:5]:
        print("found" if row in found else "expected", row)
    print(json.dumps({"cpu": cpu, "megabytes": peak, "answers": len(found), "differences": len(found ^ expected)}))


if __name__ == "__main__":
    main(*sys.argv[1:])
