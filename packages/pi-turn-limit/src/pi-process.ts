/** Is this Pi's own process? Where Pi is embedded, another program's process is not ours to end. */
export function isPisOwnProcess(): boolean {
  return process.title === "pi" || process.title === "pi-rpc";
}

const LEAVES_TOOLS_OUT = ["--tools", "-t", "--exclude-tools", "-xt", "--no-tools", "-nt"];

/** Does Pi know every tool? One that it was told to leave out is in none of its lists. */
export function knowsEveryTool(): boolean {
  return isPisOwnProcess() && !LEAVES_TOOLS_OUT.some((flag) => process.argv.includes(flag));
}
