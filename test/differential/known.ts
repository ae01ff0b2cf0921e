/** Why we accept what a peer rejects: the peers, the name of the mutation, and the reason. */
export type KnownRejection = readonly [peers: string, label: RegExp, reason: string];

export const KNOWN_REJECTIONS: readonly KnownRejection[] = [];

/** Returns the reason for accepting what a peer rejects; undefined if there is none. */
export function reasonFor(peer: string, labels: readonly string[]): KnownRejection | undefined {
  return KNOWN_REJECTIONS.find(
    ([peers, label]) => peers.split(" ").includes(peer) && labels.some((each) => label.test(each)),
  );
}
