import type { State } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useId, useMemo, useState } from "preact/hooks";
import { SearchInput } from "../../kit/form/fields.js";
import type { Plain } from "../../schema/method.js";
import { filterStates } from "./filter-states.js";
import { groupStates, numberOf } from "./group-states.js";

/** The states of a country by type, with a filter as one types. */
export function StateList({ states }: { readonly states: readonly Plain<State>[] }) {
  const id = useId();
  const [text, setText] = useState("");
  const groups = useMemo(() => groupStates(filterStates(states, text)), [states, text]);
  const names = useMemo(() => new Map(states.map(({ code, name }) => [code, name])), [states]);
  const found = groups.reduce((sum, group) => sum + group.states.length, 0);
  const all = groupStates(states);
  const [only] = all.length === 1 ? all : [];
  return (
    <section class="card card-body" aria-labelledby={id}>
      <div class="row spread state-head">
        <h2 id={id}>
          {only?.title ?? numberOf(states.length)}
          {found < states.length && <span class="small soft numbers"> · {found} found</span>}
        </h2>
        <SearchInput
          label="Filter by name or code"
          placeholder="Filter by name or code"
          value={text}
          set={setText}
        />
      </div>
      {found === 0 && <p class="help">None of them has this code or name.</p>}
      {groups.map(({ title, states: members }) => (
        <div key={title} class="stack tight">
          {only === undefined && <h3 class="card-title">{title}</h3>}
          <ul class="state-list">
            {members.map(({ code, name, nativeName, parent }) => (
              <li key={code}>
                <code class="soft">{code}</code>
                <span>
                  {name} {nativeName !== "" && nativeName !== name && <span class="soft">{nativeName}</span>}
                  {parent !== "" && <span class="meta"> in {names.get(parent) ?? parent}</span>}
                </span>
              </li>
            ))}
          </ul>
        </div>
      ))}
    </section>
  );
}
