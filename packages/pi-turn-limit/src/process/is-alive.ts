/** Is there a process of this number on this machine? */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is there, and somebody else's.
    return Object(error).code === "EPERM";
  }
}
