import type { HttpBody } from "@utility-tools/protos/google/api/httpbody_pb.js";
import { useEffect, useState } from "preact/hooks";

/** A URL of octets for as long as a component shows them; undefined without any. */
export function useBlobUrl(body: HttpBody | undefined): string | undefined {
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (body === undefined) {
      setUrl(undefined);
      return;
    }
    const made = URL.createObjectURL(new Blob([new Uint8Array(body.data)], { type: body.contentType }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [body]);
  return url;
}

/** An image that the service has answered with; nothing as long as there is none. */
export function BlobImage({ body, alt }: { readonly body: HttpBody | undefined; readonly alt: string }) {
  const url = useBlobUrl(body);
  return url === undefined ? <div class="qr" /> : <img class="qr" src={url} alt={alt} />;
}
