import { panelHash } from "../location.js";
import { useCountries } from "../service/countries.js";
import "./country-bars.css";
import { Flag } from "./flag.js";
import { Heads, TableFrame } from "./table.js";

interface CountryBarsProps {
  /** What the amounts are of. */
  readonly label: string;
  /** Alpha-2 codes, "" for an unknown country, with the largest amount first. Those with 0 are left out. */
  readonly countries: readonly { readonly code: string; readonly amount: number }[];
}

/** A table of countries with an amount each, as a number and a bar. */
export function CountryBars({ label, countries }: CountryBarsProps) {
  const { nameOf } = useCountries();
  const shown = countries.filter(({ amount }) => amount > 0);
  const [{ amount: most } = { amount: 0 }] = shown;
  if (most === 0) {
    return null;
  }
  return (
    <TableFrame
      class="numbers country-bars"
      aria-label="Countries"
      head={<Heads labels={[countryCount(shown.length), label]} />}
    >
      {shown.map(({ code, amount }) => (
        <tr key={code}>
          <th scope="row">
            {code === "" ? (
              "Unknown"
            ) : (
              <>
                <Flag code={code} /> <a href={panelHash("countries", { value: code })}>{nameOf(code)}</a>
              </>
            )}
          </th>
          <td>
            {amount.toLocaleString("en")}
            <svg viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
              <rect width={(100 * amount) / most} height="1" />
            </svg>
          </td>
        </tr>
      ))}
    </TableFrame>
  );
}

/** `1 country`, `2 countries`. */
export function countryCount(count: number): string {
  return `${count} ${count === 1 ? "country" : "countries"}`;
}
