/** The environment of a Pi in a sandbox: nothing of the person's own Pi or shell reaches it. */
export function cleanEnvironment(folders: { home: string; agentDir: string }): Record<string, string> {
  const { TZ } = process.env;
  return {
    ...(TZ && { TZ }),
    PATH: process.env.PATH ?? "/usr/local/bin:/usr/bin:/bin",
    HOME: folders.home,
    USERPROFILE: folders.home,
    PI_CODING_AGENT_DIR: folders.agentDir,
    PI_OFFLINE: "1",
    PI_TELEMETRY: "0",
    PI_SKIP_VERSION_CHECK: "1",
    TERM: "xterm-256color",
    LANG: "C.UTF-8",
  };
}
