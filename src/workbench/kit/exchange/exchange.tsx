import type { DescMessage } from "@bufbuild/protobuf";
import { useMemo } from "preact/hooks";
import { Loaded } from "../loaded.js";
import { useDrawerSection } from "./drawer.js";
import type { ExchangeProps } from "./exchange-content.js";

const loadContent = () => import("./exchange-content.js").then(({ ExchangeContent }) => ExchangeContent);

/** Shows a request as snippets, and its response, in the drawer at the end of the panel. Renders nothing in its place. */
export function ExchangeView<Input extends DescMessage, Output extends DescMessage>({
  method,
  request,
  outcome,
  isLoading,
}: ExchangeProps<Input, Output>) {
  const view = useMemo(
    () => <Loaded load={loadContent} props={{ method, request, outcome, isLoading }} />,
    // Panels make a new object for an equal request.
    [method, JSON.stringify(request), outcome, isLoading],
  );
  useDrawerSection(method.name, view);
  return null;
}
