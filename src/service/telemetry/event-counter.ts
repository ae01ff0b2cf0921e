import { Counter, type Registry } from "prom-client";

/** What a counter of events of a closed set is called. */
export interface EventCounterOptions<E extends string> {
  readonly name: string;
  readonly help: string;
  /** The label that tells the events apart. */
  readonly label: string;
  /** All there are; each is in the metrics from the start, so that its rate can be taken when it first happens. */
  readonly events: readonly E[];
}

/** Makes a counter of events that happen as often as requests come; see the request metrics on why it counts itself. */
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
