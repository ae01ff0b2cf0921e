// `npm run check -- browser [PART…]`: runs the programs of this folder, or those that are named.
const PARTS = ["workbench", "docs", "grpc-web", "long-lists"];

const named = process.argv.slice(2);
for (const part of named.length === 0 ? PARTS : named) {
  await import(`./${part}.mjs`);
}
