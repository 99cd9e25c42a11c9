import { bash, calls, type Script, says, withHeaders } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { onEachHost, onNewestHost } from "../helpers/on-each-host.ts";
import { type Stage, setStage } from "../helpers/stage.ts";
import { no, tell, yes } from "../helpers/talk.ts";
import { clock, passTime } from "../helpers/time.ts";

const HOUR = 3_600_000;
const beside = [clock];
const seconds = (at: number) => String(Math.round(at / 1_000));

type HeadersOf = (percent: number, resets: number) => Readonly<Record<string, string>>;

const anthropic: HeadersOf = (percent, resets) => ({
  "anthropic-ratelimit-unified-5h-status": "allowed",
  "anthropic-ratelimit-unified-5h-utilization": String(percent / 100),
  "anthropic-ratelimit-unified-5h-reset": seconds(resets),
});
const codex: HeadersOf = (percent, resets) => ({
  "x-codex-primary-used-percent": String(percent),
  "x-codex-primary-window-minutes": "300",
  "x-codex-primary-reset-at": seconds(resets),
});

/** Works without end; of its window 40, 60 and 80 % are used with the first three answers, and so on. In the next window it is done. */
function subscribed(headersOf = anthropic): Script {
  const resets = Date.now() + HOUR;
  return ({ index }) =>
    index <= 3
      ? withHeaders(headersOf(20 + 20 * index, resets), calls(bash("echo working")))
      : withHeaders(headersOf(5, resets + 5 * HOUR), says("Done."));
}

const requestsOf = ({ model }: Stage) => model.requests.length;

onEachHost((host) => {
  test.for([
    ["Anthropic", anthropic],
    ["Codex", codex],
  ] as const)(
    "at 80 % of a window that %s tells of no further request is sent, and another Pi knows before its first [PlanIsShared]",
    async ([, headersOf]) => {
      await using stage = await setStage(host, subscribed(headersOf));
      const first = await stage.print("Go.", { args: ["--max-plan", "5h 80% stop"] });
      expect({ code: first.code, requests: requestsOf(stage) }).toEqual({ code: 1, requests: 3 });
      expect(first.stderr).toContain("Plan limit per 5h reached (80%/80%).");
      const second = await stage.print("Go.", { env: { PI_MAX_PLAN: "5h 80%" } });
      expect({ code: second.code, requests: requestsOf(stage) }).toEqual({ code: 1, requests: 3 });
    },
  );

  test("with wait it goes on by itself when the window starts over [WindowStartsOver]", async () => {
    await using stage = await setStage(host, subscribed());
    const pi = await stage.rpc({ args: ["--max-plan", "5h 80% wait"], beside });
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    expect(question).toMatchObject({
      title: "Plan limit per 5h reached",
      message: expect.stringMatching(
        /^80% of your plan's 5h are used\. It goes on by itself at \d\d:\d\d\. Go on without this limit until it starts over\?$/,
      ),
    });
    expect(requestsOf(stage)).toBe(3);
    await passTime(stage, 2 * HOUR);
    await pi.settled();
    expect(requestsOf(stage)).toBe(4);
  });

  test("a person is asked at the limit, and a yes holds until the window starts over [WindowIsAllowed]", async () => {
    await using stage = await setStage(host, subscribed());
    await stage.sandbox.writeUserConfig({ plan: { "5h": "60%" } });
    const pi = await stage.rpc();
    await pi.prompt("Go.");
    const question = await pi.nextDialog();
    expect(question.message).toContain("60% of your plan's 5h are used.");
    expect(requestsOf(stage)).toBe(2);
    expect(pi.widget("turn-limit")?.join()).toContain("Plan 5h: 60%/60%");
    pi.answer(question, yes);
    await pi.settled();
    expect(requestsOf(stage)).toBe(4);
  });
});

onNewestHost((host) => {
  test("of a window that answers do not tell of it is said once that its limit cannot hold [UntoldWindowIsSaid]", async () => {
    await using stage = await setStage(host, subscribed());
    const { stderr, code } = await stage.print("Go.", { args: ["--max-plan", "5h 90%, 7d 50%"] });
    expect({ code, requests: requestsOf(stage) }).toEqual({ code: 0, requests: 4 });
    expect(stderr.match(/cannot hold/g)).toHaveLength(1);
    expect(stderr).toContain(
      "The limit of plan per 7d cannot hold: the answers of the provider do not say how much of it is used, but of 5h.",
    );
    await using other = await setStage(host, () => says("Done."));
    const { stderr: said } = await other.print("Go.", { args: ["--max-plan", "5h 90%"] });
    expect(said).toContain(
      "The limit of plan per 5h cannot hold: the answers of the provider say nothing of a plan.",
    );
  });

  test("/plan-limit sets and shows it, /limits has a row for it, and a no ends the run", async () => {
    await using stage = await setStage(host, subscribed());
    const pi = await stage.rpc();
    const said = async (command: string) => (await tell(pi, command)).message;
    expect(await said("/plan-limit")).toBe("No plan window has a limit. To set one: /plan-limit 5h 80%");
    expect(await said("/plan-limit 5h 60%")).toBe("Plan limit per 5h set to 60%.");
    await pi.prompt("Go.");
    pi.answer(await pi.nextDialog(), no);
    await pi.settled();
    expect(requestsOf(stage)).toBe(2);
    expect(await said("/plan-limit 5h")).toContain(
      "Plan limit per 5h: 60% (/plan-limit 5h in this session).",
    );
    expect(await said("/limits")).toMatch(/^Plan per 5h +60% +60% +100 +\/plan-limit 5h in this session/m);
  });

  test.for([
    ["5h", 'Invalid plan limit per 5h from --max-plan. Use per cent such as 80%, or unlimited, not "".'],
    ["5h 80", "Invalid plan limit per 5h from --max-plan."],
    [
      "80%",
      'Invalid plan window limit from --max-plan. Use a window and per cent, such as 5h 80%, not "80%".',
    ],
    ["5h 80% wiat", 'Invalid plan limit per 5h from --max-plan. Write wait, not "wiat".'],
  ] as const)("%j from --max-plan is refused in one line, and nothing is sent", async ([text, line]) => {
    await using stage = await setStage(host, subscribed());
    const { stderr, code } = await stage.print("Go.", { args: ["--max-plan", text] });
    expect({ code, requests: requestsOf(stage) }).toEqual({ code: 1, requests: 0 });
    expect(stderr.split("\n").filter((said) => said.includes("Invalid"))).toEqual([
      expect.stringContaining(line),
    ]);
  });

  test("a window of the settings file that is none holds the run, too", async () => {
    await using stage = await setStage(host, subscribed());
    await stage.sandbox.writeUserConfig({ plan: { five: "80%" } });
    const { stderr, code } = await stage.print("Go.");
    expect({ code, requests: requestsOf(stage) }).toEqual({ code: 1, requests: 0 });
    expect(stderr).toContain('"plan.five": Invalid plan window limit. Use a window and per cent');
  });
});
