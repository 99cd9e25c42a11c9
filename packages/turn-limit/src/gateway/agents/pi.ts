import type { Profile, SeenRequest } from "./profile.ts";

/**
 * The header by which Pi's requests say what they are: `turn`, `sub-agent` or `aside`, and the id of the session. Pi sends it
 * because `turn-limit run` loads an extension with it.
 */
export const PI_REQUEST = "x-turn-limit-pi";

/** Pi, without an extension of the person's. It names the session, and tells turns, sub-agents and other requests apart. */
export const pi: Profile = {
  name: "Pi",
  id: "pi",
  tested: ["0.87.1", "1.5.0"],
  // It closes the connection after 5 minutes.
  waitsFor: 4.5 * 60_000,

  version: (headers) => (saidBy(headers) ? versionIn(headers) : undefined),

  lacks: () => undefined,

  recognise({ headers }) {
    const { kind, session } = saidBy(headers) ?? {};
    if (kind === "aside") return { kind };
    if (session === undefined || (kind !== "turn" && kind !== "sub-agent")) return undefined;
    return { kind: "turn", conversation: session, isSubAgent: kind === "sub-agent" };
  },
};

function saidBy(headers: SeenRequest["headers"]): { kind?: string; session?: string } | undefined {
  const said = headers[PI_REQUEST];
  if (said === undefined) return undefined;
  const [kind, session] = said.split(" ");
  return { ...(kind && { kind }), ...(session && { session }) };
}

/** Older versions do not name themselves. */
function versionIn({ "user-agent": agent = "" }: SeenRequest["headers"]): string {
  return /\bpi\/(\d[\w.-]*)/.exec(agent)?.[1] ?? "";
}
