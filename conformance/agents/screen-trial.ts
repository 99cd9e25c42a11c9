import { setTimeout as pause } from "node:timers/promises";
import {
  byKind,
  kindOf,
  openAgent,
  prepareAgent,
  type ScriptedProvider,
  stalls,
  startScriptedProvider,
  type Terminal,
} from "@turn-limit/rig";
import type { AgentTrial, Competitor, Limiter } from "./agent-contender.ts";
import { work } from "./agent-trials.ts";
import { GUARD } from "./play-trial.ts";

/** The situation in which a person sits before the agent's own screen. */
export const SCREEN_TRIAL: AgentTrial = {
  name: "on the agent's own screen: limit 3, a person who says yes",
  turns: 3,
  asks: true,
  script: () => byKind({ main: work }),
};

/** What was seen there. */
export interface ScreenSeen {
  /** Turns until nothing more was sent, or until the trial ended the agent. */
  turns: number;
  /** What the screen then said of a limit. */
  shown: string | undefined;
  /** Turns after the key for yes. `undefined`: the trial had to end the agent before. */
  afterYes: number | undefined;
}

/** One way to hold an agent in that situation. */
export interface ScreenRow {
  trial: AgentTrial;
  competitor: Competitor;
  limiter: Limiter;
  seen: ScreenSeen | string;
  failed?: true;
}

const PROMPT = "Do it.";
/** Nothing was sent for so long, in milliseconds: then the agent waits, or has ended. */
const QUIET = 20_000;
const betweenLooks = 200;
const SAYS_OF_LIMIT = /limit reached|max(imum)?\b.*\bturns|you've used/i;
const FRAME = /^[\s│┃▌●•✕✗⏺⎿■ℹ✖]+|[\s│┃]+$/g;

/** Plays it with a real agent, whose person presses one key for yes once the agent waits. */
export async function playOnScreen(competitor: Competitor, limiter: Limiter): Promise<ScreenSeen> {
  const script = SCREEN_TRIAL.script();
  await using provider = await startScriptedProvider((request) =>
    request.index <= GUARD ? script(request) : stalls(),
  );
  await using agent = await prepareAgent(competitor.agent, { providerAddress: provider.address });
  const { args = [], env = {}, wrapWith = [] } = await limiter.start(agent, SCREEN_TRIAL, competitor);
  await using terminal = await openAgent(agent, { args, env, wrapWith, cols: 150, rows: 50 });
  await terminal.type(PROMPT);
  await terminal.waitFor(PROMPT);
  while (turnsOf(provider) === 0) {
    await terminal.press("Enter");
    await untilQuiet(provider);
  }
  const turns = await untilQuiet(provider);
  const shown = await saidOfLimit(terminal);
  if (provider.requests.length > GUARD) return { turns, shown, afterYes: undefined };
  await terminal.press(competitor.yes ?? "Enter");
  return { turns, shown, afterYes: (await untilQuiet(provider)) - turns };
}

function turnsOf({ requests }: ScriptedProvider): number {
  return requests.slice(0, GUARD).filter((request) => kindOf(request) === "main").length;
}

/** Waits until nothing more is sent. Returns how many turns were taken. */
async function untilQuiet(provider: ScriptedProvider): Promise<number> {
  let seen = provider.requests.length;
  for (let since = Date.now(); Date.now() - since < QUIET; await pause(betweenLooks)) {
    if (provider.requests.length > GUARD) break;
    if (provider.requests.length > seen) since = Date.now();
    seen = provider.requests.length;
  }
  return turnsOf(provider);
}

async function saidOfLimit(terminal: Terminal): Promise<string | undefined> {
  const lines = (await terminal.screen()).split("\n").map((line) => line.replace(FRAME, ""));
  return lines.findLast((line) => SAYS_OF_LIMIT.test(line));
}
