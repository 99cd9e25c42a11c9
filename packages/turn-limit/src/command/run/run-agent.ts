import { createGateway, type RunGateway } from "../../gateway/gateway.ts";
import { PROVIDERS } from "../../gateway/providers.ts";
import { personsFiles } from "../../launch/launcher.ts";
import { type Launch, openLaunch } from "../../launch/open-launch.ts";
import { howToExtend, howToPrice, loadPrice } from "../pooled-limits.ts";
import { storeOption } from "../stores.ts";
import type { Surroundings } from "../surroundings.ts";
import { optionFor } from "../wanted-limits.ts";
import { requireWayThroughGateway, runName, startOf } from "./agent.ts";
import { openBudgets } from "./budgets.ts";
import { Notices } from "./notices.ts";
import { openQuestions, tellWhereToReply } from "./open-questions.ts";
import { type RunOptions, readRunOptions } from "./options.ts";
import { requireProgram, startAgent } from "./start-agent.ts";
import { runExitCode, summaryJson, summaryLine } from "./summary.ts";

/** `turn-limit run`: starts an agent behind a gateway, and holds it to limits. Resolves with the exit code. */
export async function runAgent(args: readonly string[], around: Surroundings): Promise<number> {
  const files = personsFiles(process.cwd());
  const options = readRunOptions(args, around.env, files);
  const { profile, isHeadless } = options;
  requireWayThroughGateway(options, around.env, files);
  const hasScreen = profile !== undefined && !isHeadless && around.stderr.isTTY === true;
  const notices = new Notices(around.stderr, hasScreen);
  const budgets = await openBudgets(options, around, notices);
  const questions = openQuestions(options, budgets, notices);
  let gateway: RunGateway | undefined;
  let launch: Launch | undefined;
  try {
    const { settings, pools, outside, maxima } = budgets;
    const price = await loadPrice(maxima, options.price);
    gateway = await createGateway({
      ...settings,
      pool: pools,
      outside,
      ask: questions?.ask,
      price,
      profile,
      hold: options.hold,
      howToRaise: ({ limit, identity: { kind } }) =>
        options.pool === undefined && kind !== "freeze" && kind !== "store"
          ? howToRaise(options)
          : howToExtend(limit, pools, storeOption(options.store)),
      howToPrice,
      env: around.env,
      onWarning: (message) => notices.tell(message),
    });
    gateway.run.member.name = runName(options, files);
    if (questions) tellWhereToReply(options, notices);
    const { origin } = new URL(gateway.addresses.to(PROVIDERS.anthropic.base));
    launch = await openLaunch({
      addresses: gateway.addresses,
      env: { ...around.env, ...budgets.forInnerRuns(origin) },
      files,
      routes: options.routes,
      onRefused: (reason) => notices.tell(reason),
    });
    requireProgram(options.line, around.env);
    const ended = await startAgent(await startOf(options, launch));
    const summary = await gateway.close();
    gateway = undefined;
    // A question that disappears from the terminal must not take the summary with it.
    await questions?.closed();
    notices.release();
    const report = options.json
      ? summaryJson(summary, ended, profile?.name)
      : `turn-limit: ${summaryLine(summary, ended, profile?.name)}`;
    around.stderr.write(`${report}\n`);
    return runExitCode(summary, ended);
  } finally {
    notices.release();
    launch?.close();
    await gateway?.close();
    await questions?.closed();
    await budgets.close();
  }
}

/** What the person is told who reads that a limit ended the run. */
function howToRaise({ limits }: RunOptions): string {
  const options = [...new Set(limits.map(({ measure }) => `--${optionFor(measure)}`))].join(" or ");
  return `To allow more, raise ${options} of turn-limit run.`;
}
