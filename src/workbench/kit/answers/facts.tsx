import type { ComponentChildren } from "preact";
import { localTime } from "./place-words.js";

/** A fact of an answer: its label, its value, and a remark in small print. */
export type Fact = readonly [label: ComponentChildren, value: ComponentChildren, remark?: ComponentChildren];

/** Facts of an answer; those with an empty value are left out. */
export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl class="fact-list">
      {facts.map(
        ([label, value, remark], index) =>
          value !== "" && (
            <div key={index}>
              <dt>{label}</dt>
              <dd>
                {value} {remark !== undefined && <span class="meta">{remark}</span>}
              </dd>
            </div>
          ),
      )}
    </dl>
  );
}

/** Returns the local time of a zone as a fact. */
export function timeFact(timeZone: string): Fact {
  const time = timeZone === "" ? undefined : localTime(timeZone, new Date());
  return ["Local time", time?.[0] ?? "", `${time?.[1]} · ${timeZone}`];
}
