import {
  type AgentName,
  byKind,
  cutOff,
  deferred,
  fails,
  leftRunning,
  obeys,
  type ProviderReply,
  type ProviderScript,
  redirects,
  resets,
  says,
  stalls,
  startScriptedProvider,
  turnOfConversation,
  worksForever,
} from "@turn-limit/rig";
import { describe, test } from "vitest";
import { type MoreOfRun, type Seen, underRun } from "./under-run.ts";

/** What the provider does at the first request for a turn, instead of the answer. */
type Fault = () => ProviderReply;
const overloaded: Fault = () => fails(529);
const broken: Fault = () => fails(500);
// No tool call: opencode may make one that it has got before the end, and go on.
const cut: Fault = () => cutOff(says("This is where I would say what I am about to do."));

/** One of the agents, and what is known of it. */
interface Trial {
  name: AgentName;
  /** What the summary calls it. */
  profile: string;
  /** What goes wrong at turns 1, 2 and 3. The agent makes each of these requests again. */
  faults: (Fault | undefined)[];
  /** How it ends after Ctrl+C, without `run` as well. */
  interrupted: { code: number; summary: string };
}

const reached =
  "Turn limit reached (5/5). The run was stopped here. To allow more, raise --max-turns of turn-limit run.\n";

// Those that take longest come first.
const trials: Trial[] = [
  {
    name: "opencode",
    profile: "opencode",
    // A reset may meet a connection that its title has used before. Then the gateway sends the request again itself.
    faults: [undefined, broken, cut],
    interrupted: { code: 130, summary: "ended by SIGINT" },
  },
  {
    name: "qwen-code",
    profile: "Qwen Code",
    // It gives up by itself when a stream is cut off of which it has shown some text.
    faults: [resets, broken],
    interrupted: { code: 130, summary: "ended by SIGINT" },
  },
  {
    name: "gemini-cli",
    profile: "Gemini CLI",
    // It gives up by itself when a stream is cut off.
    faults: [resets, broken],
    interrupted: { code: 130, summary: "ended after SIGINT" },
  },
  {
    name: "claude-code",
    profile: "Claude Code",
    faults: [resets, overloaded, cut],
    interrupted: { code: 130, summary: "ended after SIGINT" },
  },
  {
    name: "pi",
    profile: "Pi",
    faults: [resets, overloaded, cut],
    interrupted: { code: 130, summary: "ended by SIGINT" },
  },
  {
    name: "codex",
    profile: "Codex",
    faults: [resets, broken, cut],
    interrupted: { code: 1, summary: "ended with exit code 1 after SIGINT" },
  },
];

/** Runs the agent to the policy of stopping at the limits. */
function stopping(
  name: AgentName,
  limits: readonly string[],
  script: ProviderScript,
  more: MoreOfRun = {},
): Promise<Seen> {
  return underRun(name, [...limits, "--at-limit", "stop"], script, more);
}

const endless = () => byKind({ main: worksForever() });

/** Answers as the script does, but at the first request for a turn with the fault of that turn. */
function stumbling(faults: Trial["faults"], script: ProviderScript): ProviderScript {
  const met = new Set<number>();
  return (request) => {
    const turn = turnOfConversation(request);
    const fault = met.has(turn) ? undefined : faults[turn - 1];
    met.add(turn);
    return fault ? fault() : script(request);
  };
}

/** What `run` has printed itself. */
function printedByRun({ stderr }: Seen): string[] {
  return stderr.split("\n").filter((line) => line.startsWith("turn-limit: "));
}

// One agent after the other: a machine that starts many programs at once is not done sooner.
describe.each(trials)("$name", (trial) => {
  const { name, profile } = trial;
  const asides = name === "opencode" ? { title: 1 } : {};

  test.concurrent("is stopped at 5 of an endless loop, and says so", async ({ expect }) => {
    const seen = await stopping(name, ["--max-turns", "5"], endless());

    expect(seen.got).toEqual({ main: 5, ...asides });
    expect(seen.stdout).toBe(reached);
    expect(printedByRun(seen)).toEqual([expect.stringContaining(`stopped at 5/5 turns (${profile}) · `)]);
    expect(seen).toMatchObject({ code: 86, isConfigUnchanged: true });
  });

  // That it finishes there without being told is in the tests of questions.
  test.concurrent("obeys the wrap-up with the last that it may have, after errors of the provider", async ({
    expect,
  }) => {
    const errors = trial.faults.filter(Boolean).length;
    const works = obeys("Wrap up now.", "All done.", worksForever());

    const seen = await stopping(
      name,
      ["--max-turns", "5", "--wrap-up", "1"],
      byKind({ main: stumbling(trial.faults, works) }),
    );

    expect(seen.got).toEqual({ main: 5 + errors, ...asides });
    expect(seen.stdout).toBe("All done.\n");
    const about = trial.faults.includes(cut) ? "about " : "";
    expect(printedByRun(seen)).toEqual([
      expect.stringContaining(
        `turn-limit: wrapped up (${profile}) · 5 turns · ${seen.provider.requests.length} requests · ${about}`,
      ),
    ]);
    expect(seen).toMatchObject({ code: 0, isConfigUnchanged: true });
  });

  test.concurrent("ends at Ctrl+C, and nothing is left", async ({ expect }) => {
    const inTheMiddle = deferred<void>();
    const stallsInTheMiddle: ProviderScript = (request) => {
      if (turnOfConversation(request) === 1) return worksForever()(request);
      inTheMiddle.resolve();
      return stalls();
    };
    // Looked at here, because the harness ends whatever is left.
    const meanwhile: MoreOfRun["meanwhile"] = async (running, provider) => {
      await Promise.race([inTheMiddle.promise, running.ended()]);
      running.interrupt();
      await running.ended();
      await expect.poll(() => leftRunning(running)).toEqual([]);
      await expect.poll(() => provider.requests.map(({ ended }) => ended)).toContain("aborted");
    };

    const seen = await stopping(name, ["--max-turns", "5"], byKind({ main: stallsInTheMiddle }), {
      meanwhile,
    });

    expect(seen.got).toEqual({ main: 2, ...asides });
    expect(seen).toMatchObject({ code: trial.interrupted.code, isConfigUnchanged: true });
    expect(printedByRun(seen)).toEqual([
      expect.stringContaining(`turn-limit: ${trial.interrupted.summary} (${profile}) · `),
    ]);
  });
});

describe("a limit besides turns and requests", { concurrent: true }, () => {
  // Each answer of the script takes 120 tokens. The fifth reaches the limit.
  test.for([
    {
      name: "claude-code",
      limit: "--max-tokens",
      max: "600",
      reached: /^turn-limit: stopped at 600\/600 tokens /,
    },
    { name: "pi", limit: "--max-tokens", max: "600", reached: /^turn-limit: stopped at 600\/600 tokens / },
    {
      name: "claude-code",
      limit: "--max-cost",
      max: "$0.0036",
      reached: /^turn-limit: stopped at \$0.0040\/\$0.0036 cost /,
    },
  ] as const)("$limit $max holds $name", async ({ name, limit, max, reached }, { expect }) => {
    const seen = await stopping(name, [limit, max], endless());

    expect(seen.got).toEqual({ main: 5 });
    expect(`${seen.stdout}${seen.stderr}`).toContain(`To allow more, raise ${limit} of turn-limit run.`);
    expect(printedByRun(seen)).toEqual([expect.stringMatching(reached)]);
    expect(seen).toMatchObject({ code: 86, isConfigUnchanged: true });
  });

  // The model of the script is in no list.
  test("--max-cost sends nothing of Codex to a model without a price, until it is given", async ({
    expect,
  }) => {
    const refused = await stopping("codex", ["--max-cost", "$5"], endless());

    expect(refused.provider.requests).toEqual([]);
    expect(refused.stdout).toMatch(
      /^The model (\S+) has no price, so the cost limit cannot hold the run\. .* --price \1=IN\/OUT, /,
    );
    expect(refused.summary).toMatch(
      /^turn-limit: stopped: the model has no price \(Codex\) · 0 turns · 0 requests/,
    );
    expect(refused.code).toBe(86);

    // Each answer takes 100 tokens in and 20 out.
    const [, model] = /^The model (\S+) /.exec(refused.stdout) ?? [];
    const priced = await stopping("codex", ["--max-cost", "$0.005", "--price", `${model}=10/50`], endless());

    expect(priced.got).toEqual({ main: 3 });
    expect(priced.summary).toMatch(/^turn-limit: stopped at \$0\.0060\/\$0\.005 cost \(Codex\)/);

    // Without a price, the token limit holds alone.
    const byTokens = await stopping("codex", ["--max-cost", "$5", "--max-tokens", "240"], endless());

    expect(byTokens.got).toEqual({ main: 2 });
    expect(byTokens.summary).toMatch(/^turn-limit: stopped at 240\/240 tokens \(Codex\)/);
    expect(byTokens.stderr).toMatch(/^turn-limit: The model \S+ has no price, .* --price/m);
  });

  // On a busy machine the time may be over before the agent has asked for anything.
  test.for(["claude-code", "pi"] as const)(
    "--max-time ends %s while the provider is silent",
    async (name, { expect }) => {
      const seen = await stopping(name, ["--max-time", "5s"], byKind({ main: () => stalls() }));

      expect(seen.got.main ?? 0).toBeLessThanOrEqual(1);
      expect(`${seen.stdout}${seen.stderr}`).toContain("To allow more, raise --max-time of turn-limit run.");
      expect(printedByRun(seen)).toEqual([expect.stringMatching(/^turn-limit: stopped at .+\/5s time /)]);
      expect(seen).toMatchObject({ code: 86, isConfigUnchanged: true });
    },
  );
});

describe("a provider", { concurrent: true }, () => {
  test.for<AgentName>(["claude-code", "codex", "opencode"])(
    "that redirects %s gets nothing past the limits",
    async (name, { expect }) => {
      await using elsewhere = await startScriptedProvider(endless());
      const seen = await stopping(name, ["--max-requests", "20"], () => redirects(elsewhere.address));

      expect(elsewhere.requests).toEqual([]);
      expect(seen.stdout + seen.stderr).toMatch(/redirects to .*Use that base address instead\./);
      expect(printedByRun(seen)).toEqual([
        expect.stringMatching(/^turn-limit: ended with exit code 1 .* redirects to /),
      ]);
      expect(seen.code).toBe(1);
    },
  );
});
