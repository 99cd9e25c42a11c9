/**
 * turn-limit for Pi: a live `Turns: 12/25` counter, and a question before the turn that the limit
 * does not cover.
 *
 * Use: `pi -e packages/pi-turn-limit`, or `pi install npm:pi-turn-limit`.
 * Set: `/turn-limit 50`, `--max-turns 50`, `PI_MAX_TURNS=50`, or `{ "turns": 50 }` in `turn-limit.json`.
 */
import { join } from "node:path";
import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { DEFAULT_MAX_TURNS, isReached, type Max } from "turn-limit";
import { registerLimitCommand } from "./command.ts";
import { agentFolder, projectFolder } from "./config/pi-folders.ts";
import { readSources } from "./config/sources.ts";
import { turns } from "./config/turns.ts";
import { GovernedRun } from "./session/governed-run.ts";
import { LimitInForce } from "./session/limit-in-force.ts";
import { reportProblems } from "./session/start-report.ts";
import { explainStop } from "./session/stop-message.ts";
import { createWhoPrompted, textOf } from "./session/who-prompted.ts";
import { say } from "./ui/say.ts";

const SETTINGS_FILE = "turn-limit.json";

export { DEFAULT_MAX_TURNS };

/** What the environment says, else the default. */
export function getMaxTurns(): Max {
  return turns.parseText(process.env[turns.env] ?? "") ?? DEFAULT_MAX_TURNS;
}

/** Is this the boundary: have `used` turns used up what `max` admits? */
export function checkTurnLimit(used: number, max: Max): boolean {
  return isReached(used, max);
}

export default function turnLimit(pi: ExtensionAPI): void {
  const who = createWhoPrompted();
  const run = new GovernedRun(pi);
  const limit = new LimitInForce(pi, turns, (max) => run.setMaxTurns(max));

  pi.registerFlag(turns.flag, { type: "string", description: `Turn limit: ${turns.allowedText}` });
  registerLimitCommand(pi, limit, {
    count: () => `${run.turnsUsed}/${turns.format(limit.value)}`,
    changed: (ctx) => run.show(ctx),
  });

  pi.on("session_start", ({ reason }, ctx) => {
    const sources = readSources({
      flag: (name) => pi.getFlag(name),
      userFile: join(agentFolder(), SETTINGS_FILE),
      projectFile: ctx.isProjectTrusted() ? join(projectFolder(ctx.cwd), SETTINGS_FILE) : undefined,
      limitKeys: [turns.key],
    });
    run.begin(ctx);
    if (reason !== "startup") run.moved(ctx);
    const problems = [
      ...sources.user.problems,
      ...sources.project.problems,
      ...limit.configure(ctx, sources),
    ];
    reportProblems(ctx, reason, problems);
  });
  pi.on("session_tree", (_event, ctx) => {
    limit.recall(ctx);
    run.moved(ctx);
  });

  pi.on("input", (event, ctx) => {
    if (event.source === "extension" && run.exhausted) {
      say(
        ctx,
        "Turn limit reached: a message from another extension was not run. Only a prompt starts afresh.",
      );
      return { action: "handled" };
    }
    who.onInput(event);
    return undefined;
  });
  pi.on("before_agent_start", (event) => {
    if (who.isPersonsPrompt(event)) run.prompt();
  });
  pi.on("message_start", ({ message }) => {
    if (message.role === "user" && who.isPersonsFollowUp(textOf(message))) run.prompt();
  });

  // The last moment before the request: every message of the turn has been delivered, so it is known
  // by now whether a person began it.
  pi.on("context", (_event, ctx) => run.beforeTurn(ctx));
  pi.on("session_compact", ({ willRetry }) => {
    if (willRetry) run.turnDiscarded();
  });

  // The answer, and not `turn_end`: a handler there makes Pi rebuild the whole transcript for every turn.
  pi.on("message_end", ({ message }, ctx) => {
    if (message.role !== "assistant") return undefined;
    run.answered(message.stopReason, ctx);
    return run.stop ? { message: explainStop(message, run.stop) } : undefined;
  });
  pi.on("agent_settled", (_event, ctx) => {
    if (!ctx.hasPendingMessages()) who.forgetQueue();
    run.settled(ctx);
  });
}
