import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useEffect, useId, useState } from "preact/hooks";
import { keepStored, readStored } from "../storage.js";
import { Tabs } from "../tabs.js";

/** A section of the drawer. */
interface Section {
  readonly title: string;
  readonly view: ComponentChildren;
}

/** Sets a section by its id; undefined removes it. */
type SetSection = (id: string, section: Section | undefined) => void;

const DrawerContext = createContext<SetSection>(() => {});

/** Shows a view in the drawer of the panel while the component is mounted. `view` must be the same object until it changes. */
export function useDrawerSection(title: string, view: ComponentChildren): void {
  const setSection = useContext(DrawerContext);
  const id = useId();
  useEffect(() => setSection(id, { title, view }), [setSection, id, title, view]);
  useEffect(() => () => setSection(id, undefined), [setSection, id]);
}

/** A panel with a drawer at its end. The drawer contains the sections of the panel, in tabs if there are several. */
export function ApiDrawer({ children }: { readonly children: ComponentChildren }) {
  const [sections, setSections] = useState<ReadonlyMap<string, Section>>(new Map());
  const [isOpen, setOpen] = useState(() => readStored("localStorage", "api-drawer") === "open");
  const [selected, select] = useState("");
  const setSection: SetSection = useCallback((id, section) => {
    setSections((before) => {
      const after = new Map(before);
      if (section === undefined) {
        after.delete(id);
      } else {
        after.set(id, section);
      }
      return after;
    });
  }, []);
  const tabs = [...sections].map(([id, { title }]) => ({ id, title }));
  const shown = sections.has(selected) ? selected : (tabs[0]?.id ?? "");
  const view = sections.get(shown)?.view;
  return (
    <DrawerContext.Provider value={setSection}>
      {children}
      {tabs.length > 0 && (
        <details
          class="drawer"
          open={isOpen}
          onToggle={({ currentTarget }) => {
            keepStored("localStorage", "api-drawer", currentTarget.open ? "open" : "closed");
            setOpen(currentTarget.open);
          }}
        >
          <summary class="row">
            Use the API <span class="small soft">This request and its response, with code to copy</span>
          </summary>
          {isOpen && (
            <div class="drawer-body bare-tabs">
              {tabs.length === 1 ? (
                view
              ) : (
                <Tabs label="Method" tabs={tabs} selected={shown} onSelect={select}>
                  {view}
                </Tabs>
              )}
            </div>
          )}
        </details>
      )}
    </DrawerContext.Provider>
  );
}
