import { CopyButton } from "./copy-button.js";

/** A value with its name and a button that copies it. */
export function CopyRow({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div class="copy-row">
      <span class="copy-name">{name}</span>
      <span class="copy-value code">{value}</span>
      <CopyButton text={value} what={name} />
    </div>
  );
}
