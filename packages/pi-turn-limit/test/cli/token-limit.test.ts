import { endsAfter, fails, sequence } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { executed, leavesWithoutEnd } from "../helpers/executed.ts";
import { named } from "../helpers/named.ts";
import { onEachHost, onNewestHost, onNewestTerminal } from "../helpers/on-each-host.ts";
import { recorded } from "../helpers/recorded.ts";
import { offeredTools, worksUntilToolsFree } from "../helpers/salvage.ts";
import { setStage } from "../helpers/stage.ts";
import { answerInTurn, counterLines, no, questions, tell, work, yes } from "../helpers/talk.ts";

const beside = ["records-limit-events"];
const OUTCOME = "turn-limit:outcome";
const BOUNDARY = "turn-limit:boundary";
// Every answer of a script reports 100 tokens of input and 20 of output, unless it says otherwise.
const threeAnswers = ["--max-tokens", "360"];
const reached = "Token limit reached (360/360).";
const question = "Token limit reached: You've used 360 of 360 tokens. Continue?";

onEachHost((host) => {
  test("a person is asked at the limit; yes starts it over, no ends the run", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.rpc({ args: threeAnswers, beside });
    answerInTurn(pi, yes, no, no);
    await work(pi, "Go.");
    expect(questions(pi)).toEqual([question, question]);
    expect(stage.model.requests).toHaveLength(6);
    expect(pi.notifications).toEqual([{ message: "Agent aborted by user.", type: "error" }]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "declined", limit: "tokens", turns: 6, usage: { input: 600, output: 120 } },
    ]);
    await work(pi, "Again.");
    expect(stage.model.requests).toHaveLength(9);
  });

  test("requests that failed spent nothing and refresh nothing, and each prompt has the whole budget", async () => {
    const overloaded = fails(529);
    const works = leavesWithoutEnd();
    const script = sequence([overloaded], (request) => (request.index === 3 ? overloaded : works(request)));
    await using stage = await setStage(host, script);
    await stage.print(["One.", "Two."], { args: threeAnswers });
    expect(stage.model.requests.map(({ lastUserText }) => lastUserText)).toEqual([
      ...Array(5).fill("One."),
      ...Array(3).fill("Two."),
    ]);
  });
});

onNewestHost((host) => {
  test("a model that calls a tool anyway in its last answer is stopped", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const cast = { args: ["--max-tokens", "360 synthesize"], beside };
    const { code, stderr } = await stage.print("Go.", cast);
    expect(stage.model.requests).toHaveLength(4);
    expect(await executed(stage)).toHaveLength(3);
    expect(stderr).toContain(`${reached} To allow more, use --max-tokens`);
    expect(code).toBe(1);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "tokens", turns: 4 }]);
  });

  test("an agent that is done with its last tokens has not hit the limit", async () => {
    await using stage = await setStage(host, endsAfter(3, "Done in three."));
    const { code, stdout, stderr } = await stage.print("Go.", { args: threeAnswers, beside });
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "Done in three.\n", stderr: "" });
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "completed", turns: 3 }]);
  });

  test.for([
    { policy: "the policy synthesize", tokens: { max: 360, onExhausted: "synthesize" } },
    { policy: "the headless policy synthesize", tokens: { max: 360, headless: "synthesize" } },
  ])("with $policy print mode prints the last answer and exits with 0", async ({ tokens }) => {
    await using stage = await setStage(host, worksUntilToolsFree());
    await stage.sandbox.writeUserConfig({ tokens });
    const { code, stdout, stderr } = await stage.print("Go.");
    expect({ code, stdout }).toEqual({ code: 0, stdout: "What I know.\n" });
    expect(stderr).toBe("Token limit reached (360/360): one last answer, without tools.\n");
    expect(offeredTools(stage)).toEqual([true, true, true, false]);
  });

  test.for([
    { from: "the flag", cast: { args: threeAnswers }, settings: {} },
    { from: "the environment", cast: { env: { PI_MAX_TOKENS: "360" } }, settings: {} },
    { from: "the settings", cast: {}, settings: { tokens: 360 } },
    { from: "a text in the settings", cast: {}, settings: { tokens: { max: "0.36k" } } },
  ])(
    "a limit of 360 tokens from $from is used up by 3 answers of 120, and print mode says how to raise it",
    async ({ cast, settings }) => {
      await using stage = await setStage(host, leavesWithoutEnd());
      await stage.sandbox.writeUserConfig(settings);
      const { code, stdout, stderr } = await stage.print("Go.", { ...cast, beside });
      expect(stage.model.requests).toHaveLength(3);
      expect(await executed(stage)).toHaveLength(3);
      expect(stderr).toBe(
        `${reached} To allow more, use --max-tokens, PI_MAX_TOKENS or "tokens" in turn-limit.json.\n`,
      );
      expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
      expect(await recorded(stage, OUTCOME)).toMatchObject([
        { outcome: "stopped", limit: "tokens", turns: 3, usage: { input: 300, output: 60 } },
      ]);
      expect(await recorded(stage, BOUNDARY)).toEqual([
        { ...named("tokens"), used: 360, max: 360, action: "stop" },
      ]);
    },
  );

  test("/token-limit 200k sets the limit, and /token-limit tells it", async () => {
    await using stage = await setStage(host, endsAfter(1));
    const pi = await stage.rpc();
    expect((await tell(pi, "/token-limit")).message).toBe("Token limit: unlimited (default). Used: 0.");
    expect(await tell(pi, "/token-limit 200k")).toEqual({
      message: "Token limit set to 200k.",
      type: "info",
    });
    expect(pi.widget("turn-limit")).toEqual(["Turns: 0/25 · Tokens: 0/200k"]);
    expect((await tell(pi, "/token-limit")).message).toBe(
      "Token limit: 200k (/token-limit in this session). Used: 0.",
    );
    expect((await tell(pi, "/token-limit 1.5M STOP reserve 10k")).message).toBe(
      "Token limit set to 1.5m stop reserve 10k.",
    );
  });

  test("with the policy stop nobody is asked, also where somebody could be", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.rpc({ args: ["--max-tokens", "360 stop"], beside });
    await work(pi, "Go.");
    expect(stage.model.requests).toHaveLength(3);
    expect(questions(pi)).toEqual([]);
    expect(pi.notifications).toEqual([{ message: reached, type: "error" }]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([{ outcome: "stopped", limit: "tokens" }]);
  });

  test("with the policy synthesize a client gets one last answer, made without tools", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    const pi = await stage.rpc({ args: ["--max-tokens", "360 synthesize"], beside });
    await work(pi, "Go.");
    expect(offeredTools(stage)).toEqual([true, true, true, false]);
    expect(questions(pi)).toEqual([]);
    const message = "Token limit reached (360/360): one last answer, without tools.";
    expect(pi.notifications).toEqual([{ message, type: "warning" }]);
    expect(await recorded(stage, OUTCOME)).toMatchObject([
      { outcome: "salvaged", limit: "tokens", turns: 4, usage: { input: 400, output: 80 } },
    ]);
  });

  test("the headless policy says nothing to a person who can be asked", async () => {
    await using stage = await setStage(host, worksUntilToolsFree());
    await stage.sandbox.writeUserConfig({ tokens: { max: 360, headless: "synthesize" } });
    const pi = await stage.rpc();
    answerInTurn(pi, no);
    await work(pi, "Go.");
    expect(questions(pi)).toEqual([question]);
    expect(offeredTools(stage)).toEqual([true, true, true]);
  });

  test("the tokens stand beside the turns, as far as they are known", async () => {
    await using stage = await setStage(host, endsAfter(3));
    const pi = await stage.rpc({ args: ["--max-tokens", "1k"] });
    await work(pi, "Go.");
    expect(counterLines(pi)).toEqual([
      ...["Turns: 1/25 · Tokens: 0/1k", "Turns: 1/25 · Tokens: 120/1k", "Turns: 2/25 · Tokens: 120/1k"],
      ...["Turns: 2/25 · Tokens: 240/1k", "Turns: 3/25 · Tokens: 240/1k", "Turns: 3/25 · Tokens: 360/1k"],
      undefined,
    ]);
  });
});

await onNewestTerminal((host) => {
  test("at a terminal Enter goes on, Escape ends the run, and a line says what it took", async () => {
    await using stage = await setStage(host, leavesWithoutEnd());
    const pi = await stage.tui({ args: threeAnswers });
    await pi.submit("Go.");
    const screen = await pi.waitFor("You've used 360 of 360 tokens. Continue?");
    expect(screen).toContain("Token limit reached");
    expect(screen).toContain("Turns: 3/25 · Tokens: 360/360");
    await pi.press("Enter");
    await stage.model.waitForRequest(6);
    await pi.waitFor("You've used 360 of 360 tokens. Continue?");
    await pi.press("Escape");
    await pi.waitFor(/Stopped by you at the token limit · 6 turns · 6 steps · 720 tokens · \d+s/);
    expect(stage.model.requests).toHaveLength(6);
  });
});
