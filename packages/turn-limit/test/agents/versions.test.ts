import { type AgentName, byKind, calls, type ProviderRequest, says, shellCall } from "@turn-limit/rig";
import { test } from "vitest";
import { underRun } from "./under-run.ts";

const otherVersion = true;
const IN_A_LOOP = "The last call was made 2 times in a row with the same result. It will not change.";
const LEFT = "For information: ";

const bodyOf = ({ body }: ProviderRequest) => JSON.stringify(body);

/** Polls until it is told that it does, and then never ends by itself. */
const pollsUntilTold = () => {
  let isTold = false;
  return byKind({
    main: (request) => {
      isTold ||= bodyOf(request).includes(IN_A_LOOP);
      return calls(shellCall(request, isTold ? `echo turn ${request.index}` : "echo compiling"));
    },
    title: () => says("A title"),
  });
};

test.concurrent.for<[AgentName, called: string, asides?: object]>([
  ["claude-code", "Claude Code"],
  ["codex", "Codex"],
  ["opencode", "opencode", { title: 1 }],
  ["gemini-cli", "Gemini CLI"],
  ["qwen-code", "Qwen Code"],
  ["pi", "Pi"],
])(
  "another version of %s is held to turns, told of a loop and of what it has left, and a person is asked",
  async ([name, called, asides], { expect }) => {
    const limits = ["--max-turns", "4", "--max-repeats", "2", "--tell", "75", "--ask", "echo no"];
    const seen = await underRun(name, limits, pollsUntilTold(), { otherVersion });

    expect(seen.got).toEqual({ main: 4, ...asides });
    const turns = seen.provider.requests.map(bodyOf).filter((body) => !body.includes("title generator"));
    expect(turns.map((body) => body.includes(IN_A_LOOP))).toEqual([false, false, true, false]);
    expect(turns.map((body) => body.split(LEFT)[1]?.split('"', 1)[0])).toEqual([
      undefined,
      undefined,
      "turn limit 3/4 used, 1 left, then a person is asked.",
      undefined,
    ]);
    expect(seen.stdout).toContain("Turn limit reached (4/4). A person stopped the run here.");
    expect(seen.summary).toContain(`turn-limit: stopped by a person at 4/4 turns (${called}) · `);
    expect(seen).toMatchObject({ code: 86, isConfigUnchanged: true });
  },
);
