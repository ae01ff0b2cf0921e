import { useId, useState } from "preact/hooks";
import { FieldNotes, FileButton } from "../../kit/form/fields.js";
import { MAX_PICTURE_BYTES } from "../../kit/picture.js";
import { sentenceOf } from "../../kit/text.js";
import { LOGO_TYPES, type Logo, readLogo } from "./logo.js";

interface LogoFieldProps {
  readonly logo: Logo | undefined;
  readonly set: (logo: Logo | undefined) => void;
}

/** The file of a logo for the middle of the code. */
export function LogoField({ logo, set }: LogoFieldProps) {
  const id = useId();
  const [problem, setProblem] = useState("");
  const open = async (file: File) => {
    const read = await readLogo(file);
    setProblem(read.ok ? "" : sentenceOf(read.failure.description));
    if (read.ok) {
      set(read.value);
    }
  };
  return (
    <fieldset class="field" aria-describedby={`${id}-wrong ${id}-help`}>
      <legend>Logo</legend>
      <div class="actions">
        {logo !== undefined && <output>{logo.name}</output>}
        <FileButton
          label={logo === undefined ? "Choose a picture" : "Choose another"}
          accept={LOGO_TYPES.join(",")}
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
        help={`In the middle of the code: PNG, JPEG, SVG or WebP, up to ${MAX_PICTURE_BYTES / 1_000_000} MB. It stays in this page.`}
      />
    </fieldset>
  );
}
