import type { ComponentChildren } from "preact";
import { useId, useRef } from "preact/hooks";

interface Tab {
  readonly id: string;
  readonly title: string;
}

interface TabsProps {
  /** The accessible name of the row of tabs. */
  readonly label: string;
  readonly tabs: readonly Tab[];
  readonly selected: string;
  readonly onSelect: (id: string) => void;
  /** Content at the end of the row of tabs. */
  readonly aside?: ComponentChildren;
  /** The view of the selected tab. */
  readonly children: ComponentChildren;
}

/** The index of the next tab by key. https://www.w3.org/WAI/ARIA/apg/patterns/tabs/#keyboardinteraction */
const STEPS: Readonly<Record<string, (at: number, count: number) => number>> = {
  ArrowLeft: (at, count) => (at + count - 1) % count,
  ArrowRight: (at, count) => (at + 1) % count,
  Home: () => 0,
  End: (_, count) => count - 1,
};

/** Tabs that work by pointer and by keyboard. */
export function Tabs({ label, tabs, selected, onSelect, aside, children }: TabsProps) {
  const id = useId();
  const list = useRef<HTMLDivElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const at = tabs.findIndex((tab) => tab.id === selected);
    const next = STEPS[event.key]?.(at, tabs.length);
    const tab = next === undefined ? undefined : tabs[next];
    if (next !== undefined && tab !== undefined) {
      event.preventDefault();
      onSelect(tab.id);
      list.current?.querySelectorAll<HTMLElement>("[role=tab]")[next]?.focus();
    }
  };
  return (
    <div class="tabs">
      <div class="tab-row">
        <div ref={list} role="tablist" aria-label={label} onKeyDown={onKeyDown}>
          {tabs.map((tab) => (
            <button
              key={tab.id}
              type="button"
              role="tab"
              id={`${id}-${tab.id}`}
              aria-selected={tab.id === selected}
              aria-controls={`${id}-view`}
              tabIndex={tab.id === selected ? 0 : -1}
              onClick={() => onSelect(tab.id)}
            >
              {tab.title}
            </button>
          ))}
        </div>
        {aside}
      </div>
      <div role="tabpanel" id={`${id}-view`} aria-labelledby={`${id}-${selected}`}>
        {children}
      </div>
    </div>
  );
}
