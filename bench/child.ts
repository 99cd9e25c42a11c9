import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

/** Runs a script of this folder in a process of its own and returns the message that it sends. */
export async function messageFrom<Message>(
  script: string,
  args: readonly string[],
  flags: readonly string[],
): Promise<Message> {
  const child = fork(join(import.meta.dirname, script), args, { execArgv: [...flags] });
  let sent: Message | undefined;
  child.on("message", (message: Message) => {
    sent = message;
  });
  const [code] = await once(child, "exit");
  if (code !== 0 || sent === undefined) throw new Error(`${script} ${args[0]} ended with ${code}`);
  return sent;
}
