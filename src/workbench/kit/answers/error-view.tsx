import { useEffect } from "preact/hooks";
import { Prose } from "../content.js";
import type { ShownError } from "../service/errors.js";
import { useSession } from "../session.js";
import { sentenceOf } from "../text.js";

/** Errors that are not about the input. */
const BUGS: readonly string[] = ["INTERNAL", "UNKNOWN", "DATA_LOSS"];

/** An error of a call that no field explains: what is wrong, and what to do. Screen readers announce it. */
export function ErrorView({ error }: { readonly error: ShownError }) {
  const { announce } = useSession();
  const isBug = BUGS.includes(error.code);
  const text = isBug ? "Something went wrong in the service." : sentenceOf(error.message);
  useEffect(() => announce(text), [announce, text]);
  return (
    <div class="error">
      <strong>
        <Prose text={text} />
      </strong>
      {isBug && <p>Try again. If it happens again, tell the person who runs the service.</p>}
      {error.code === "UNAVAILABLE" && <p>Try again in a moment.</p>}
    </div>
  );
}
