import type { ComponentChildren, ComponentType } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Loaded } from "../kit/loaded.js";
import type { PanelPlace, PlaceState } from "../kit/location.js";
import { Tabs } from "../kit/tabs.js";

/** What the form for one input needs. */
export interface OneProps {
  readonly place: PanelPlace;
  /** Whether the form is visible. It keeps what was typed, which no URL may have, while it is not. */
  readonly isShown: boolean;
}

interface OneOrListProps {
  readonly place: PanelPlace;
  /** What the panel does, as the name of the tabs. */
  readonly label: string;
  /** The title of the tab for one input. */
  readonly one: string;
  /** Loads the list. Must be the same function until the component changes. */
  readonly loadList: () => Promise<ComponentType<{ readonly isShown: boolean }>>;
  /** Renders the form for one input. Called from its first visit on, so that it can keep what was typed while the list is shown. */
  readonly children: (isShown: boolean) => ComponentChildren;
}

/** The form for one input, and the list, in tabs. The list is loaded on demand, and keeps its results while the form is shown. */
export function OneOrList({ place, label, one, loadList, children }: OneOrListProps) {
  const isList = place.parameters.get("mode") === "list";
  const [had, setHad] = useState({ one: !isList, list: isList });
  useEffect(
    () => setHad((before) => ({ one: before.one || !isList, list: before.list || isList })),
    [isList],
  );
  /** The place of the form, which the tab leads back to. */
  const form = useRef<PlaceState>({});
  if (!isList) {
    form.current = { value: place.value, parameters: Object.fromEntries(place.parameters) };
  }
  return (
    <div class="bare-tabs">
      <Tabs
        label={label}
        tabs={[
          { id: "one", title: one },
          { id: "list", title: "List" },
        ]}
        selected={isList ? "list" : "one"}
        onSelect={(mode) => place.push(mode === "list" ? { parameters: { mode } } : form.current)}
      >
        {(!isList || had.one) && children(!isList)}
        {(isList || had.list) && <Loaded load={loadList} props={{ isShown: isList }} />}
      </Tabs>
    </div>
  );
}
