import type { CountriesService, CountryMatch } from "@utility-tools/protos/utilitytools/v1/countries_pb.js";
import { useEffect, useId, useMemo, useRef, useState } from "preact/hooks";
import { foldText } from "../../text/fold-text.js";
import { Flag } from "../kit/answers/flag.js";
import { panelHash } from "../kit/location.js";
import { TYPING_PAUSE, useAnswer } from "../kit/service/call.js";
import { PANELS } from "../panels.js";
import { methodAt, type Plain } from "../schema/method.js";
import "./palette.css";

const SEARCH = methodAt<typeof CountriesService.method.searchCountries>("CountriesService/SearchCountries");

/** A place to go to. */
interface Entry {
  readonly href: string;
  readonly title: string;
  /** Why it is in the list, or what it is. */
  readonly note: string;
  /** The alpha-2 code of a country. */
  readonly country?: string;
}

/** How many countries are listed. */
const COUNTRIES = 6;

/**
 * A dialog to go to a panel, a country, or the look-up of what is typed. A combobox with a list:
 * https://www.w3.org/WAI/ARIA/apg/patterns/combobox/
 */
export function Palette({ onClose }: { readonly onClose: () => void }) {
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => dialog.current?.showModal(), []);
  const [text, setText] = useState("");
  const [active, setActive] = useState(0);
  const matches = useCountryMatches(text);
  const entries = useMemo(() => entriesOf(text, matches), [text, matches]);
  const current = entries[Math.min(active, entries.length - 1)];

  const go = (entry: Entry | undefined) => {
    if (entry !== undefined) {
      // Moves the focus back; the page moves it on to the new panel.
      dialog.current?.close();
      location.assign(entry.href);
    }
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
    if (step !== 0 && entries.length > 0) {
      event.preventDefault();
      const next = (entries.length + Math.min(active, entries.length - 1) + step) % entries.length;
      setActive(next);
      document.getElementById(`${id}-${next}`)?.scrollIntoView({ block: "nearest" });
    }
  };
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the Escape key closes a dialog
    <dialog
      ref={dialog}
      class="palette"
      aria-label="Go to"
      onClose={onClose}
      onClick={(event) => event.target === dialog.current && dialog.current?.close()}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          go(current);
        }}
      >
        <input
          class="palette-input"
          type="text"
          role="combobox"
          aria-label="Tool, country or address"
          aria-expanded={entries.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={current === undefined ? undefined : `${id}-${entries.indexOf(current)}`}
          aria-autocomplete="list"
          placeholder="Tool, country, IP or e-mail address"
          autocomplete="off"
          autocapitalize="off"
          spellcheck={false}
          maxLength={200}
          value={text}
          onKeyDown={onKeyDown}
          onInput={({ currentTarget }) => {
            setText(currentTarget.value);
            setActive(0);
          }}
        />
      </form>
      {/* The input keeps the focus; it names the active option. */}
      <div id={`${id}-list`} class="palette-list" role="listbox" aria-label="Places">
        {entries.map((entry, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the input keeps the focus
          // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles keys
          <div
            key={entry.href}
            id={`${id}-${index}`}
            class="palette-entry"
            role="option"
            aria-selected={entry === current}
            onPointerMove={() => setActive(index)}
            onClick={() => go(entry)}
          >
            {entry.country !== undefined && <Flag code={entry.country} />}
            <span class="palette-title">{entry.title}</span>
            <span class="palette-note meta last">{entry.note}</span>
          </div>
        ))}
      </div>
      <p class="palette-help soft" role="status">
        {entries.length === 0 ? "Nothing found. Try a tool, a country, a code or an address." : ""}
      </p>
    </dialog>
  );
}

/** Returns the countries that a text finds; none for an empty text. */
function useCountryMatches(text: string): readonly Plain<CountryMatch>[] {
  const request = text.trim() === "" ? undefined : { query: text, limit: COUNTRIES };
  return useAnswer(SEARCH, request, TYPING_PAUSE).message?.matches ?? NONE;
}

const NONE: readonly Plain<CountryMatch>[] = [];

function entriesOf(text: string, matches: readonly Plain<CountryMatch>[]): readonly Entry[] {
  const typed = text.trim();
  const lookups = PANELS.flatMap(({ id, title, placeOf }) => {
    const state = typed === "" ? undefined : placeOf?.(typed);
    return state === undefined ? [] : [{ href: panelHash(id, state), title: typed, note: title }];
  });
  const panels = [
    ...PANELS.map(({ id, title, about, words }) => ({ href: panelHash(id), title, note: about, words })),
    {
      href: "docs",
      title: "API reference",
      note: "All methods, to try out",
      words: "docs documentation openapi",
    },
  ];
  const wanted = foldText(typed).split(" ");
  const found = panels.filter(({ title, words }) => {
    const all = ` ${foldText(`${title} ${words}`)}`;
    return wanted.every((word) => all.includes(` ${word}`));
  });
  const countries = matches.flatMap(({ country, value }) =>
    country === undefined
      ? []
      : [
          {
            href: panelHash("countries", { value: country.code2 }),
            title: country.name,
            note: value === country.name ? country.capital : value,
            country: country.code2,
          },
        ],
  );
  return [...lookups, ...found, ...countries];
}
