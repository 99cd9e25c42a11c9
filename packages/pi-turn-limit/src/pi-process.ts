/** Is this Pi's own process? Where Pi is embedded, another program's process is not ours to end. */
export function isPisOwnProcess(): boolean {
  return process.title === "pi" || process.title === "pi-rpc";
}
