import { readFile, symlink } from "node:fs/promises";
import { join } from "node:path";
import {
  deferred,
  type PreparedAgent,
  type ProviderRequest,
  type ProviderScript,
  prepareAgent,
  stalls,
  startAgent,
  startScriptedProvider,
} from "@turn-limit/rig";
import type { AgentSeen, AgentTrial, Competitor, Limiter, Start } from "./agent-contender.ts";
import { ANSWER, TRACES } from "./agent-trials.ts";
import { reasonIn } from "./reason.ts";

/** After how many requests a trial ends an agent that does not end by itself. */
export const GUARD = 30;

const LONGEST_MS = 300_000;

/** How many percent of a window a turn takes in trials about a subscription. */
const PERCENT_OF_TURN = 20;

/** Plays a trial with a real agent in a home of its own, against a provider that counts. */
export async function playTrial(
  competitor: Competitor,
  limiter: Limiter,
  trial: AgentTrial,
): Promise<AgentSeen> {
  const guard = deferred<"guard">();
  const script = trial.script();
  const guarded: ProviderScript = (request) => {
    if (request.index <= GUARD) return script(request);
    guard.resolve("guard");
    return stalls();
  };
  const headers = ({ index }: ProviderRequest) => competitor.planHeaders?.(index * PERCENT_OF_TURN) ?? {};
  await using provider = await startScriptedProvider(guarded, trial.plan === undefined ? {} : { headers });
  await using prepared = await prepareAgent(competitor.agent, { providerAddress: provider.address });
  const agent = await asTyped(prepared);
  const model: Start = trial.dollars === undefined ? {} : await competitor.withPrice(agent);
  const form: Start = (trial.wantsForm && (await competitor.withForm?.(agent))) || {};
  const limit = await limiter.start(agent, trial, competitor);
  await using running = startAgent(agent, {
    prompt: "Go.",
    args: [...(model.args ?? []), ...(form.args ?? []), ...(limit.args ?? [])],
    env: { ...model.env, ...limit.env },
    wrapWith: limit.wrapWith ?? [],
  });
  const result = await Promise.race([running.ended(LONGEST_MS), guard.promise]);
  const counted = {
    requests: Math.min(provider.requests.length, GUARD),
    executed: await commandsRun(agent),
  };
  if (result === "guard") return { ...counted, ...endedByGuard };
  const answered = result.stdout.includes(ANSWER);
  return {
    ...counted,
    answered,
    exitCode: result.code ?? undefined,
    reason: reasonIn(result, answered),
  };
}

const endedByGuard = {
  answered: false,
  exitCode: undefined,
  reason: `none: ended by the trial's own guard after ${GUARD} requests`,
};

/** The agent by the name of its command, as a person types it. */
async function asTyped(agent: PreparedAgent): Promise<PreparedAgent> {
  const [interpreter, script] = agent.kind.command;
  if (interpreter !== process.execPath || script === undefined) return agent;
  const command = join(agent.root, agent.kind.name);
  await symlink(script, command);
  return { ...agent, kind: { ...agent.kind, command: [command] } };
}

async function commandsRun(agent: PreparedAgent): Promise<number> {
  const traces = await readFile(join(agent.project, TRACES), "utf8").catch(() => "");
  return traces.split("\n").filter((line) => line !== "").length;
}
