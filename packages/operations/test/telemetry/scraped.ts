/** Returns the samples of metrics in Prometheus's text format, by name and labels as written. */
export function samplesOf(text: string): Map<string, number> {
  const samples = text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const space = line.lastIndexOf(" ");
      const value = line.slice(space + 1);
      return [line.slice(0, space), value === "+Inf" ? Number.POSITIVE_INFINITY : Number(value)] as const;
    });
  return new Map(samples);
}

/** Returns the names, types and help of metrics in Prometheus's text format. */
export function metricsOf(text: string): { name: string; type: string; help: string }[] {
  return [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\S+)$/gm)].map(
    ([, name = "", help = "", type = ""]) => ({ name, type, help }),
  );
}
