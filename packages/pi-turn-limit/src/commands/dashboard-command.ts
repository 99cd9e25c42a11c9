import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ExtensionAPI, ExtensionContext } from "@earendil-works/pi-coding-agent";
import { PersonsStore } from "../agents/persons-store.ts";
import { messageOf } from "../core.ts";
import { say } from "../display/say.ts";
import { DASHBOARD_COMMAND } from "../limits/own-commands.ts";
import { storeFile, storeOption } from "../settings/pi-folders.ts";
import type { OpenDashboard } from "./open-dashboard.ts";

const CLOSE = { value: "close", label: "close", description: "Close it" };
// On the process: a reload loads the module again, and another session goes on with what is open.
const OPEN = Symbol.for("pi-turn-limit.dashboard");
const shared = globalThis as { [OPEN]?: (OpenDashboard & { readonly store: PersonsStore }) | undefined };

/** Registers `/dashboard`. The page and its server are loaded when it is first used. `folder`: that of this package. */
export function registerDashboardCommand(pi: ExtensionAPI, folder: string): void {
  pi.registerCommand(DASHBOARD_COMMAND, {
    description: "Open the page on which sessions and budgets are seen and questions answered",
    getArgumentCompletions: (prefix) => {
      const typed = prefix.trim().toLowerCase();
      return typed !== "" && typed !== CLOSE.value && CLOSE.value.startsWith(typed) ? [CLOSE] : null;
    },
    handler: async (args, ctx) => {
      const typed = args.split(/\s+/).filter((word) => word !== "");
      if (typed.join().toLowerCase() === CLOSE.value) say(ctx, await close());
      else if (!ctx.hasUI)
        say(ctx, `The dashboard would end with this run. Use ${inTerminal()} instead.`, "error");
      else await open(ctx, typed, join(folder, "dist", "open-dashboard.cjs"));
    },
  });
  pi.on("session_shutdown", async ({ reason }, ctx) => {
    if (reason === "quit" && ctx.hasUI) await close();
  });
}

async function open(ctx: ExtensionContext, typed: readonly string[], built: string): Promise<void> {
  try {
    if (shared[OPEN] && typed.length > 0) await close();
    shared[OPEN] ??= await opened(typed, built);
    const { address, pairing } = shared[OPEN];
    const columns = ctx.mode === "tui" ? (process.stdout.columns ?? 0) : 0;
    say(
      ctx,
      `Your sessions and budgets are shown at ${address}\n${pairing(columns)}\n` +
        `It ends with Pi, or by /${DASHBOARD_COMMAND} ${CLOSE.value}. /${DASHBOARD_COMMAND} shows another code.`,
    );
  } catch (error) {
    say(ctx, `The dashboard was not opened. ${messageOf(error)}`, "error");
  }
}

async function opened(typed: readonly string[], built: string) {
  // An install from sources has no page: it is made by tools that are not there.
  if (!existsSync(built)) throw new Error(`This install has no page for it. Use ${inTerminal()} instead.`);
  const { openDashboard }: typeof import("./open-dashboard.ts") = await import(built);
  const store = new PersonsStore(storeFile());
  try {
    return { ...(await openDashboard(store, typed)), store };
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function close(): Promise<string> {
  const open = shared[OPEN];
  shared[OPEN] = undefined;
  await open?.close();
  await open?.store.close();
  return open ? "The dashboard is closed." : "No dashboard is open here.";
}

function inTerminal(): string {
  return `npx turn-limit dashboard${storeOption(storeFile())}`;
}
