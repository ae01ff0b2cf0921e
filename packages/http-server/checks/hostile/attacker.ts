import { type Attack, runAttack } from "./attack.js";

// Runs one attack in a separate process, and keeps its connections until the process is killed. Arguments: the module with the
// attacks, the name of the attack, the port, the duration in seconds and the number of connections.

const [, , module = "", name, port, seconds, connections] = process.argv;
const { ATTACKS }: { readonly ATTACKS: readonly Attack[] } = await import(module);
const attack = ATTACKS.find((known) => known.name === name);
if (attack === undefined) {
  throw new Error(`there is no attack ${name}`);
}
const until = performance.now() + Number(seconds) * 1000;
await runAttack(attack, Number(connections), { port: Number(port), until });
process.send?.("over");
