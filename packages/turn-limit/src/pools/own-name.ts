/** What this process is called where nobody says it: its script and its number, such as `agent.js (1234)`. */
export function ownName(): string {
  const { argv = [], pid } = (globalThis as { process?: { argv?: string[]; pid?: number } }).process ?? {};
  const script = argv[1]?.split(/[\\/]/).at(-1) ?? "agent";
  return pid === undefined ? script : `${script} (${pid})`;
}
