import {
  CountrySchema,
  type State,
  StateSchema,
} from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useId, useMemo, useState } from "preact/hooks";
import { commentOf } from "../../kit/comments.js";
import { FieldValue, fieldValueOf } from "../../kit/fact-list.js";
import { FieldTable } from "../../kit/field-table.js";
import { fieldLabel } from "../../kit/field-text.js";
import { Prose } from "../../kit/prose.js";
import { filterStates } from "./filter-states.js";

const STATES = CountrySchema.field.states;

/** The subdivisions of a country, with a filter over all that is said of them. */
export function StateTable({ states }: { readonly states: readonly State[] }) {
  const id = useId();
  const [text, setText] = useState("");
  const found = useMemo(() => filterStates(states, text), [states, text]);
  // A column for which no state has a value would only take room.
  const columns = useMemo(
    () => StateSchema.fields.filter((field) => states.some((state) => fieldValueOf(state, field) !== "")),
    [states],
  );
  return (
    <div class="card card-body">
      <div class="state-head">
        <h2 id={`${id}-title`}>
          {fieldLabel(STATES)} <span class="country-count">{states.length}</span>
        </h2>
        <label class="off-screen" for={id}>
          Filter {fieldLabel(STATES)}
        </label>
        {states.length > 0 && (
          <input
            id={id}
            class="control"
            type="search"
            placeholder="Filter"
            autocomplete="off"
            spellcheck={false}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        )}
      </div>
      <p class="help">
        <Prose text={commentOf(STATES)} />
      </p>
      {found.length > 0 && (
        <FieldTable fields={columns} name={{ id: `${id}-title` }}>
          {found.map((state) => (
            <tr key={state.code}>
              {columns.map((field) => {
                const Cell = field === StateSchema.field.code ? "th" : "td";
                return (
                  <Cell key={field.localName} scope={Cell === "th" ? "row" : undefined}>
                    <FieldValue field={field} value={fieldValueOf(state, field)} />
                  </Cell>
                );
              })}
            </tr>
          ))}
        </FieldTable>
      )}
    </div>
  );
}
