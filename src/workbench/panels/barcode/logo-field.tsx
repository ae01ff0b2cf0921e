import { useId, useState } from "preact/hooks";
import { FieldNotes, FileButton } from "../../kit/form/fields.js";
import { sentenceOf } from "../../kit/text.js";
import type { Logo } from "./logo.js";

/** The media types of the files that can be a logo. */
const TYPES = ["image/png", "image/jpeg", "image/svg+xml", "image/webp"];

interface LogoFieldProps {
  readonly logo: Logo | undefined;
  readonly set: (logo: Logo | undefined) => void;
}

/** The file of a logo for the middle of the code. */
export function LogoField({ logo, set }: LogoFieldProps) {
  const id = useId();
  const [problem, setProblem] = useState("");
  const open = async (file: File) => {
    const module = await import("./logo.js").catch(() => undefined);
    const read = await module?.readLogo(file, TYPES);
    if (read?.ok === true) {
      set(read.value);
    }
    setProblem(
      read === undefined
        ? "The service does not respond. Try again."
        : read.ok
          ? ""
          : sentenceOf(read.failure.description),
    );
  };
  return (
    <fieldset class="field" aria-describedby={`${id}-wrong ${id}-help`}>
      <legend>Logo</legend>
      <div class="actions">
        {logo !== undefined && <output>{logo.name}</output>}
        <FileButton
          label={logo === undefined ? "Choose a picture" : "Choose another"}
          accept={TYPES.join(",")}
          onFile={open}
        />
        {logo !== undefined && (
          <button type="button" class="quiet" onClick={() => set(undefined)}>
            Remove the logo
          </button>
        )}
      </div>
      <FieldNotes
        id={id}
        wrong={problem}
        help="In the middle of the code: PNG, JPEG, SVG or WebP. It stays in this page."
      />
    </fieldset>
  );
}
