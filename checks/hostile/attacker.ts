import { runAttack } from "./attack.js";
import { ATTACKS } from "./attacks.js";

// Runs one attack in a separate process, and keeps its connections until the process is killed. Arguments: its name, the
// port, the duration in seconds and the number of connections.

const [, , name, port, seconds, connections] = process.argv;
const attack = ATTACKS.find((known) => known.name === name);
if (attack === undefined) {
  throw new Error(`there is no attack ${name}`);
}
const until = performance.now() + Number(seconds) * 1000;
await runAttack(attack, Number(connections), { port: Number(port), until });
process.send?.("over");
