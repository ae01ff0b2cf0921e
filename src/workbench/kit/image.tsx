import { useEffect, useMemo, useState } from "preact/hooks";

/** An image in JSON. */
export interface ImageBody {
  readonly contentType: string;
  /** In Base64. */
  readonly data: string;
}

/** Returns an image as a file. The Content-Security-Policy allows no `data:` URLs. */
export function blobOf({ contentType, data }: ImageBody): Blob {
  return new Blob([Uint8Array.from(atob(data), (character) => character.charCodeAt(0))], {
    type: contentType,
  });
}

/** Returns a `blob:` URL of a file, revoked when the component unmounts or the file changes. */
export function useBlobUrl(file: Blob | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (file === undefined) {
      setUrl(undefined);
      return;
    }
    const made = URL.createObjectURL(file);
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [file]);
  return url;
}

/** An image from a response; an empty frame without one. */
export function BlobImage({ body, alt }: { readonly body: ImageBody | undefined; readonly alt: string }) {
  const url = useBlobUrl(useMemo(() => body && blobOf(body), [body]));
  return url === undefined ? <div class="qr" /> : <img class="qr" src={url} alt={alt} />;
}
