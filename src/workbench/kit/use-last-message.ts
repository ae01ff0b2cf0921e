import type { DescMessage, MessageShape } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import type { Outcome } from "./use-call.js";

/** The last answer that there was, also after a call has failed: for what should stay in view meanwhile. */
export function useLastMessage<Output extends DescMessage>(
  outcome: Outcome<DescMessage, Output>,
): MessageShape<Output> | undefined {
  const [message, setMessage] = useState<MessageShape<Output>>();
  useEffect(() => {
    if (outcome?.ok === true) {
      setMessage(outcome.value.message);
    }
  }, [outcome]);
  return message;
}
