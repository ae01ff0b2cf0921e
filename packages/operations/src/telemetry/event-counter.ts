import { Counter, type Registry } from "prom-client";

/** The options of {@link createEventCounter}. */
export interface EventCounterOptions<E extends string> {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  /** All events. Each has a sample from the start, so that its rate is known when it first happens. */
  readonly events: readonly E[];
}

/** Creates a counter of frequent events. It counts in plain numbers, as the metrics of requests do. */
export function createEventCounter<E extends string>(
  registry: Registry,
  { name, help, label, events }: EventCounterOptions<E>,
): (event: E) => void {
  const counts = new Map(events.map((event) => [event, 0]));
  new Counter({
    name,
    help,
    labelNames: [label],
    registers: [registry],
    collect() {
      this.reset();
      for (const [event, count] of counts) {
        this.inc({ [label]: event }, count);
      }
    },
  });
  return (event) => {
    counts.set(event, (counts.get(event) ?? 0) + 1);
  };
}
