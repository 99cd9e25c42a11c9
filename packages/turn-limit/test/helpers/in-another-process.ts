import { fork } from "node:child_process";
import { once } from "node:events";

type Answer<Result> = { result: Result } | { error: string };

/** Gives this to a script in a process of its own: what it answers, or its error. Both are plain data. */
export async function inAnotherProcess<Result>(script: URL, input: unknown): Promise<Result> {
  const child = fork(script, { stdio: ["ignore", "ignore", "pipe", "ipc"], execArgv: [] });
  let answer: Answer<Result> | undefined;
  let said = "";
  child.stderr?.on("data", (text) => {
    said += text;
  });
  child.on("message", (message) => {
    answer = message as Answer<Result>;
  });
  child.send(JSON.stringify(input));
  await once(child, "close");
  if (!answer) throw new Error(`The process gave no answer. ${said}`);
  if ("error" in answer) throw new Error(answer.error);
  return answer.result;
}

/** What such a script does: it answers what it was given, and its process ends. */
export function answer<Input>(run: (input: Input) => Promise<unknown>): void {
  process.once("message", async (text) => {
    const said = await run(JSON.parse(String(text))).then(
      (result) => ({ result }),
      (error: unknown) => ({ error: String(error) }),
    );
    // A framework may keep handles open.
    process.send?.(said, () => process.exit());
  });
}
