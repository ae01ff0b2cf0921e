import type { DescMessage, MessageInitShape } from "@bufbuild/protobuf";
import { useCallback, useMemo, useState } from "preact/hooks";
import { defaultValues, requestOf } from "./request-of.js";

/** What somebody has filled in, for one request. */
export interface Form<Desc extends DescMessage> {
  readonly desc: Desc;
  /** Text by the local name of its field; "" for what is left out. */
  readonly values: Readonly<Record<string, string>>;
  readonly set: (localName: string, text: string) => void;
  /** What the values come to; the same object as long as they are the same. */
  readonly request: MessageInitShape<Desc>;
}

/** The values of a form. It begins with `initial`, and with the defaults of fields that have one. */
export function useForm<Desc extends DescMessage>(
  desc: Desc,
  initial: Readonly<Record<string, string>> = {},
): Form<Desc> {
  const [values, setValues] = useState(() => ({ ...defaultValues(desc), ...initial }));
  const set = useCallback(
    (localName: string, text: string) => setValues((before) => ({ ...before, [localName]: text })),
    [],
  );
  const request = useMemo(() => requestOf(desc, values), [desc, values]);
  return { desc, values, set, request };
}
