"""How the time of the recipe for Spark depends on the cores. No result is written.

usage: spark-cores.py measure FOLDER PAGE CORES   seconds of processor time: start, then more and more lines
       spark-cores.py simulate LINES              seconds on the clock with up to 1,000 cores, each free for Spark
"""

import heapq
import math
import os
import sys
import time

from engines import processor_time, recipe

# Measured, in seconds of processor time: the session with the driver's broadcast, a worker's first task, and a line.
START, LOAD, LINE = 20, 6, 4.5e-6
# Assumed: machines of 16 cores, a network of 10 Gbit/s, tasks of a million lines, and a driver that starts 200 tasks in a second.
MACHINE, NETWORK, TASK, LAUNCH = 16, 1.25e9, 1_000_000, 1 / 200
# In bytes, compressed with LZ4.
BROADCAST = 111e6
# Of all lines, those with the hottest range. A join by the range has them in one task.
HOTTEST = 0.01


def measure(folder, page, cores):
    from pyspark.sql import SparkSession

    os.chdir(folder)
    past = [0.0, time.monotonic()]

    def report(what):
        now = [processor_time(), time.monotonic()]
        print(f"{what}: {now[0] - past[0]:.1f} s of processor time, {now[1] - past[1]:.1f} s on the clock", flush=True)
        past[:] = now

    SparkSession.builder.master(f"local[{cores}]").getOrCreate()
    report("start")
    names = {}
    exec(recipe(page, "Spark"), names)
    report("broadcast")
    addresses = names["addresses"]
    # The first run loads the broadcast into the workers.
    for times in (1, 1, 4):
        several = addresses
        for _ in range(times - 1):
            several = several.union(addresses)
        several.mapInArrow(names["with_values"], names["types"]).write.format("noop").mode("overwrite").save()
        report(f"{times} times the addresses")


def simulate(lines):
    for cores in (1, 2, 10, 100, 1_000):
        machines = math.ceil(cores / MACHINE)
        # Machines that have the broadcast send it on, so that their number doubles in each round.
        ready = START + math.ceil(math.log2(machines + 1)) * BROADCAST / NETWORK + LOAD
        free = [ready] * cores
        for task in range(math.ceil(lines / TASK)):
            start = max(heapq.heappop(free), ready + task * LAUNCH)
            heapq.heappush(free, start + min(TASK, lines - task * TASK) * LINE)
        joined = max(max(free), ready + HOTTEST * lines * LINE)
        print(f"{cores} cores: {max(free):.0f} s; {joined:.0f} s with a join that has the hottest range in one task")


if sys.argv[1] == "measure":
    measure(*sys.argv[2:])
else:
    simulate(int(sys.argv[2]))
