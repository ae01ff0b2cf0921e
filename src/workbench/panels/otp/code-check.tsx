import type { OtpCodes } from "@utility-tools/protos/utilitytools/v1/otp_pb.js";
import { useId, useState } from "preact/hooks";
import { commentOf } from "../../kit/comments.js";
import { matchCode } from "./match-code.js";

/** Holds a code from somebody's authenticator against those of the service. */
export function CodeCheck({ codes }: { readonly codes: OtpCodes }) {
  const id = useId();
  const [typed, setTyped] = useState("");
  const isWhole = typed.replaceAll(/\s/g, "").length >= codes.current.length;
  const match = isWhole ? matchCode(codes, typed) : undefined;
  return (
    <div class="field">
      <label for={id}>Code from your authenticator</label>
      <input
        id={id}
        class="control code"
        value={typed}
        inputMode="numeric"
        autocomplete="off"
        placeholder={codes.current.replaceAll(/./g, "•")}
        aria-describedby={`${id}-match`}
        onInput={({ currentTarget }) => setTyped(currentTarget.value)}
      />
      <p id={`${id}-match`} class={match === undefined ? "match" : "match good"} role="status">
        {isWhole && (match === undefined ? "None of the four codes." : `✓ ${commentOf(match)}`)}
      </p>
    </div>
  );
}
