import { useId, useMemo, useState } from "preact/hooks";
import { Flag } from "../../kit/answers/flag.js";
import { Heads, TableFrame } from "../../kit/answers/table.js";
import { FileButton, Labeled, TextInput, withNotes } from "../../kit/form/fields.js";
import { panelHash } from "../../kit/location.js";
import { useDrop } from "../../list/use-drop.js";
import { Legend } from "../../map/legend.js";
import { WorldMap } from "../../map/world-map.js";
import { type NamedCountry, readAmounts, shadesOf } from "./shades.js";

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
  const open = (file: File) => void file.text().then(setText);
  const isOver = useDrop(true, open);
  // Before the list of countries is loaded, no line has a country.
  const isWrong = countries.length > 0 && problems.length > 0;
  return (
    <div class="stack">
      <section class={isOver ? "card card-body drop-target" : "card card-body"} aria-label="List">
        <Labeled
          id={id}
          label="Countries with numbers"
          wrong={
            isWrong && (
              <>
                {problems.length === 1 ? "1 line has" : `${problems.length.toLocaleString("en")} lines have`}{" "}
                no known country:{" "}
                {problems
                  .slice(0, SHOWN_PROBLEMS)
                  .map((problem) => `line ${problem.line} “${problem.text}”`)
                  .join(", ")}
                {problems.length > SHOWN_PROBLEMS && " …"}. Use a name or a code, a comma and a number.
              </>
            )
          }
          help="One per line: a name or a code, a comma, and a number. Without a number, a line counts one. You can also drop a CSV file. The list stays in this page."
        >
          <TextInput {...withNotes(id, isWrong)} isCode rows={5} value={text} set={setText} />
        </Labeled>
        <FileButton label="Open a file" accept=".csv,.txt,text/*" onFile={open} />
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
            <Legend unit="Number" shades={shades} />
          </div>
          <TableFrame
            aria-label="Numbers by country"
            head={<Heads labels={["Country", "Number", "Share"]} />}
          >
            {amounts.map(({ code, amount }) => (
              <tr key={code}>
                <th scope="row">
                  <Flag code={code} /> <a href={panelHash("countries", { value: code })}>{nameOf(code)}</a>
                </th>
                <td>{amount.toLocaleString("en")}</td>
                <td>{total === 0 ? "" : `${((100 * amount) / total).toFixed(1)} %`}</td>
              </tr>
            ))}
          </TableFrame>
        </section>
      )}
    </div>
  );
}
