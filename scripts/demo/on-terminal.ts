import { spawn } from "node:child_process";
import { once } from "node:events";
import { piCommand } from "@turn-limit/rig";
import { setStage } from "./stage.ts";
import { limit, prompt } from "./story.ts";

const turnMs = 700;
const ending: NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Opens the real Pi on the person's terminal, and returns its exit code. */
export async function demoOnTerminal(): Promise<number> {
  // Without a theme of ours, Pi picks the one that suits the terminal.
  await using stage = await setStage(turnMs, ["--max-turns", `${limit}`], { theme: undefined });
  const { file, args, cwd, env } = piCommand(stage.pi);
  const child = spawn(file, [...args, prompt], { cwd, env: { ...env, ...ofTerminal() }, stdio: "inherit" });
  // SIGTERM for each of them: on that one Pi restores the terminal.
  const end = () => child.kill("SIGTERM");
  for (const signal of ending) process.on(signal, end);
  try {
    const [code] = await once(child, "exit");
    return code ?? 1;
  } finally {
    for (const signal of ending) process.off(signal, end);
  }
}

/** The variables of the person's environment that describe the terminal, and no others. */
function ofTerminal(): NodeJS.ProcessEnv {
  const about = /^(TERM|COLOR|LANG$|LC_|WT_|VTE_|KITTY_|GHOSTTY_|WEZTERM_|ITERM_|KONSOLE_|SYSTEMROOT$)/i;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => about.test(name)));
}
