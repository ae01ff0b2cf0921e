import type { State, StateSchema } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useId, useMemo, useState } from "preact/hooks";
import { Heads, NoValue, TableFrame } from "../../kit/answers/table.js";
import { SearchInput } from "../../kit/form/fields.js";
import { fieldLabel } from "../../kit/text.js";
import type { Plain } from "../../schema/method.js";
import { labelOf, messageNamed } from "../../schema/schema.js";
import { filterStates } from "./filter-states.js";

const TITLE = labelOf("states");

const { fields: FIELDS } = messageNamed<typeof StateSchema>("State");

/** The states of a country with a filter as one types. */
export function StateTable({ states }: { readonly states: readonly Plain<State>[] }) {
  const id = useId();
  const [text, setText] = useState("");
  const found = useMemo(() => filterStates(states, text), [states, text]);
  const type = states.every((state) => state.type === states[0]?.type) ? (states[0]?.type ?? "") : "";
  // Omit columns in which every state is empty, and a type that all have in common. All fields are texts.
  const columns = FIELDS.map((field) => ({ ...field, key: field.localName as keyof Plain<State> })).filter(
    ({ key }) => states.some((state) => state[key] !== "") && !(key === "type" && type !== ""),
  );
  return (
    <div class="card card-body">
      <div class="row spread state-head">
        <h2 id={id}>
          {TITLE}{" "}
          <span class="small soft numbers">
            {text.trim() === "" ? states.length : `${found.length} of ${states.length}`}
            {type !== "" && ` · type: ${type}`}
          </span>
        </h2>
        <SearchInput label={`Filter ${TITLE}`} value={text} set={setText} />
      </div>
      {found.length === 0 ? (
        <p class="help">None of them has this code or name.</p>
      ) : (
        <TableFrame aria-labelledby={id} head={<Heads labels={columns.map(fieldLabel)} />}>
          {found.map((state) => (
            <tr key={state.code}>
              {columns.map(({ key }) => {
                const Cell = key === "code" ? "th" : "td";
                return (
                  <Cell key={key} scope={Cell === "th" ? "row" : undefined}>
                    {state[key] || <NoValue />}
                  </Cell>
                );
              })}
            </tr>
          ))}
        </TableFrame>
      )}
    </div>
  );
}
