import type { State, StateSchema } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useId, useMemo, useState } from "preact/hooks";
import { FieldTable, FieldValue, fieldValueOf } from "../../kit/answers/field-table.js";
import { fieldOf, labelOf, messageNamed, type Plain } from "../../schema/schema.js";
import { filterStates } from "./filter-states.js";

const TITLE = labelOf("states");

const STATE = messageNamed<typeof StateSchema>("State");
const CODE = fieldOf(STATE, "code");
const TYPE = fieldOf(STATE, "type");

/** The states of a country with a filter as one types. */
export function StateTable({ states }: { readonly states: readonly Plain<State>[] }) {
  const id = useId();
  const [text, setText] = useState("");
  const found = useMemo(() => filterStates(states, text), [states, text]);
  const [one = ""] = states.map(({ type }) => type);
  const type = states.every((state) => state.type === one) ? one : "";
  // Omit columns in which every state is empty, and a type that all have in common.
  const columns = useMemo(
    () =>
      STATE.fields.filter(
        (field) =>
          states.some((state) => fieldValueOf(state, field) !== "") && !(field === TYPE && type !== ""),
      ),
    [states, type],
  );
  return (
    <div class="card card-body">
      <div class="state-head">
        <h2 id={`${id}-title`}>
          {TITLE}{" "}
          <span class="country-count">
            {text.trim() === "" ? states.length : `${found.length} of ${states.length}`}
            {type !== "" && ` · type: ${type}`}
          </span>
        </h2>
        <label class="off-screen" for={id}>
          Filter {TITLE}
        </label>
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
      </div>
      {found.length === 0 ? (
        <p class="help">None of them has this code or name.</p>
      ) : (
        <FieldTable fields={columns} name={{ id: `${id}-title` }}>
          {found.map((state) => (
            <tr key={state.code}>
              {columns.map((field) => {
                const Cell = field === CODE ? "th" : "td";
                return (
                  <Cell key={field.localName} scope={Cell === "th" ? "row" : undefined}>
                    <FieldValue value={fieldValueOf(state, field)} />
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
