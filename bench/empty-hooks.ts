import { createRequire } from "node:module";
import { join } from "node:path";
import type { Build } from "./builds.ts";

/**
 * The code of an extension that registers the same hooks, commands and flags as ours, with nothing behind them: the time
 * that Pi itself takes for those.
 */
export function emptyHooksOf({ extension }: Build): string {
  const calls: string[] = [];
  const record = new Proxy(
    { events: { on() {}, emit() {} } },
    {
      get(target, method) {
        if (method in target) return Reflect.get(target, method);
        return (...args: unknown[]) =>
          void calls.push(`pi.${String(method)}(${args.map(emptied).join(", ")});`);
      },
    },
  );
  // A folder cannot be required by what its package exports.
  createRequire(join(extension, "package.json"))("./dist/turn-limit.cjs")(record);
  return calls.join("\n");
}

function emptied(value: unknown): string {
  if (typeof value === "function") return "() => undefined";
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${emptied(item)}`);
  return `{ ${entries.join(", ")} }`;
}
