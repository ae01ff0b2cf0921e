import { useEffect, useState } from "preact/hooks";

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

/** Returns a `blob:` URL of an image, revoked when the component unmounts or the image changes. */
export function useBlobUrl(body: ImageBody | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (body === undefined) {
      setUrl(undefined);
      return;
    }
    const made = URL.createObjectURL(blobOf(body));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [body]);
  return url;
}

/** An image from a response; an empty frame without one. */
export function BlobImage({ body, alt }: { readonly body: ImageBody | undefined; readonly alt: string }) {
  const url = useBlobUrl(body);
  return url === undefined ? <div class="qr" /> : <img class="qr" src={url} alt={alt} />;
}
