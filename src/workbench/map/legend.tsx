import type { Shade } from "../panels/countries/shades.js";

interface LegendProps {
  /** What the numbers count. */
  readonly unit: string;
  readonly shades: readonly Shade[];
}

/** The colors of a shaded map with their numbers. */
export function Legend({ unit, shades }: LegendProps) {
  return (
    <ul class="row small numbers legend" aria-label="Legend">
      <li class="soft">{unit}</li>
      {shades.map(({ least, most }, index) => (
        <li key={least} class="cell">
          <span class={`legend-color shade-${index + 6 - shades.length}`} aria-hidden="true" />
          {least === most
            ? least.toLocaleString("en")
            : `${least.toLocaleString("en")} to ${most.toLocaleString("en")}`}
        </li>
      ))}
    </ul>
  );
}
