import type { DescMethod } from "@bufbuild/protobuf";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Tabs } from "./tabs.js";
import "./bare-tabs.css";

interface MethodTabsProps {
  /** The methods, and for each the view of a call of it: an `Exchange`. */
  readonly exchanges: readonly { readonly method: DescMethod; readonly view: () => ComponentChildren }[];
}

/** The calls of several methods that a panel makes, of which one is shown. */
export function MethodTabs({ exchanges }: MethodTabsProps) {
  const [name, setName] = useState(exchanges[0]?.method.name ?? "");
  return (
    <div class="bare-tabs">
      <Tabs
        label="Method"
        tabs={exchanges.map(({ method }) => ({ id: method.name, title: method.name }))}
        selected={name}
        onSelect={setName}
      >
        {exchanges.find(({ method }) => method.name === name)?.view()}
      </Tabs>
    </div>
  );
}
