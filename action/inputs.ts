import { statSync } from "node:fs";

/** The variables that a runner sets. */
export type RunnerVariables = Readonly<Record<string, string | undefined>>;

/** What the workflow's author wrote under `with:`. An input that is left out is empty. */
export function input(env: RunnerVariables, name: string): string {
  return (env[`INPUT_${name.toUpperCase()}`] ?? "").trim();
}

/** Inputs that are options of `turn-limit run`, by the same name. */
const OPTIONS = ["max-turns", "max-requests", "max-tokens", "max-cost", "max-time", "wrap-up", "at-limit"];

/** The arguments of `turn-limit` that the inputs come to. */
export function runArguments(env: RunnerVariables): string[] {
  const options = OPTIONS.flatMap((name) => {
    const value = input(env, name);
    return value === "" ? [] : [`--${name}=${value}`];
  });
  const prices = input(env, "price")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .map((line) => `--price=${line}`);
  const command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", input(env, "run")];
  return ["run", "--json", ...options, ...prices, "--", ...command];
}

/** Inputs that are one of a few words. Nobody can be asked on a runner. */
const WORDS = { "fail-at-limit": ["true", "false"], "at-limit": ["stop", "answer"] };

/** Inputs that are wrong in a way that `turn-limit run` cannot know of. */
export function wrongInputs(env: RunnerVariables): string | undefined {
  if (input(env, "run") === "")
    return 'The input "run" is missing. Give it the command that starts the agent, such as claude -p "fix the tests".';
  for (const [name, words] of Object.entries(WORDS)) {
    const given = input(env, name);
    if (given !== "" && !words.includes(given))
      return `${JSON.stringify(given)} for the input "${name}" is not allowed. Use ${words.join(" or ")}.`;
  }
  const folder = input(env, "working-directory");
  if (folder !== "" && !statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    return `${JSON.stringify(folder)} for the input "working-directory" is not a folder.`;
  return undefined;
}
