import { useId, useMemo, useState } from "preact/hooks";
import { Flag } from "../../kit/answers/flag.js";
import { WorldMap } from "../../map/world-map.js";
import { panelHash } from "../../panels.js";
import { type NamedCountry, readAmounts, type Shade, shadesOf } from "./shades.js";

const EXAMPLE = "US,120\nGermany,80\nFRA,45\nJapan,30\nBrazil,12";

/** How many unusable lines are named. */
const SHOWN_PROBLEMS = 5;

interface ShadedMapProps {
  readonly countries: readonly NamedCountry[];
  readonly nameOf: (code2: string) => string;
}

/** A map of the world that is shaded by a list of the user, with a legend and a table. The list stays in the page. */
export function ShadedMap({ countries, nameOf }: ShadedMapProps) {
  const id = useId();
  const [text, setText] = useState(EXAMPLE);
  const { amounts, problems } = useMemo(() => readAmounts(text, countries), [text, countries]);
  const shades = useMemo(() => shadesOf(amounts), [amounts]);
  const total = amounts.reduce((sum, { amount }) => sum + amount, 0);
  const open = async (file: File | undefined) => {
    if (file !== undefined) {
      setText(await file.text());
    }
  };
  // Before the list of countries is loaded, no line has a country.
  const isReady = countries.length > 0;
  return (
    <div class="stack">
      <section
        class="card card-body"
        aria-label="List"
        onDragOver={(event) => event.preventDefault()}
        onDrop={(event) => {
          event.preventDefault();
          void open(event.dataTransfer?.files[0]);
        }}
      >
        <div class="field">
          <label for={id}>Countries with numbers</label>
          <textarea
            id={id}
            class="control code"
            rows={5}
            spellcheck={false}
            autocomplete="off"
            value={text}
            aria-invalid={isReady && problems.length > 0}
            aria-describedby={`${id}-wrong ${id}-help`}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
          {isReady && problems.length > 0 && (
            <p id={`${id}-wrong`} class="wrong">
              {problems.length === 1 ? "1 line has" : `${problems.length.toLocaleString("en")} lines have`} no
              known country:{" "}
              {problems
                .slice(0, SHOWN_PROBLEMS)
                .map((problem) => `line ${problem.line} “${problem.text}”`)
                .join(", ")}
              {problems.length > SHOWN_PROBLEMS && " …"}. Use a name or a code, a comma and a number.
            </p>
          )}
          <p id={`${id}-help`} class="help">
            One per line: a name or a code, a comma, and a number. Without a number, a line counts one. You
            can also drop a CSV file. The list stays in this page.
          </p>
        </div>
        <label class="button quiet file-button">
          Open a file
          <input
            type="file"
            accept=".csv,.txt,text/*"
            class="off-screen"
            onChange={({ currentTarget }) => void open(currentTarget.files?.[0])}
          />
        </label>
      </section>
      {amounts.length > 0 && (
        <section class="card card-body shaded" aria-label="Shaded map">
          <div>
            <WorldMap
              label={`${amounts.length} countries, most in ${nameOf(amounts[0]?.code ?? "")}`}
              countries={[]}
              points={[]}
              shades={shades.map(({ codes }) => codes)}
            />
            <Legend shades={shades} />
          </div>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
          <section class="table-frame" tabIndex={0} aria-label="Numbers by country">
            <table>
              <thead>
                <tr>
                  <th scope="col">Country</th>
                  <th scope="col">Number</th>
                  <th scope="col">Share</th>
                </tr>
              </thead>
              <tbody>
                {amounts.map(({ code, amount }) => (
                  <tr key={code}>
                    <th scope="row">
                      <Flag code={code} />{" "}
                      <a href={panelHash("countries", { value: code })}>{nameOf(code)}</a>
                    </th>
                    <td>{amount.toLocaleString("en")}</td>
                    <td>{total === 0 ? "" : `${((100 * amount) / total).toFixed(1)} %`}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
        </section>
      )}
    </div>
  );
}

/** The colors of the map with their numbers. */
function Legend({ shades }: { readonly shades: readonly Shade[] }) {
  return (
    <ul class="legend" aria-label="Legend">
      {shades.map(({ least, most }, index) => (
        <li key={least}>
          <span class={`legend-color shade-${index + 6 - shades.length}`} aria-hidden="true" />
          {least === most
            ? least.toLocaleString("en")
            : `${least.toLocaleString("en")} to ${most.toLocaleString("en")}`}
        </li>
      ))}
    </ul>
  );
}
