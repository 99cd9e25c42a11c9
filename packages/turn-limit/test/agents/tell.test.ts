import { type AgentName, byKind, calls, says, shellCall } from "@turn-limit/rig";
import { describe, test } from "vitest";
import { underRun } from "./under-run.ts";

const AGENTS: AgentName[] = ["claude-code", "codex", "opencode", "gemini-cli", "qwen-code", "pi"];
const LINE = "For information: ";

describe.each(AGENTS)("%s", (name) => {
  test.concurrent("reads what it has left at the end of a request, and in no other", async ({ expect }) => {
    let turns = 0;
    const script = byKind({
      main: (request) => {
        turns += 1;
        return turns < 4 ? calls(shellCall(request, `echo turn ${turns}`)) : says("All done.");
      },
      title: () => says("A title"),
    });
    const seen = await underRun(name, ["--max-turns", "4", "--tell", "50,75", "--at-limit", "stop"], script);
    expect(seen.got.main).toBe(4);
    const told = seen.provider.requests
      .map(({ body }) => JSON.stringify(body))
      .flatMap((body) => {
        const line = body.indexOf(LINE);
        return line < 0 ? [] : [[body.slice(line).split('"', 1)[0], body.split(LINE).length - 1]];
      });
    expect(told).toEqual([
      [`${LINE}turn limit 2/4 used, 2 left, then the run is stopped.`, 1],
      [`${LINE}turn limit 3/4 used, 1 left, then the run is stopped.`, 1],
    ]);
    expect(seen.stdout).toContain("All done.");
    expect(seen).toMatchObject({ code: 0, isConfigUnchanged: true });
  });

  test.concurrent("has the same requests up to the line", async ({ expect }) => {
    let turns = 0;
    const script = byKind({
      main: (request) => {
        turns += 1;
        return turns < 3 ? calls(shellCall(request, "echo same")) : says("All done.");
      },
      title: () => says("A title"),
    });
    const seen = await underRun(
      name,
      ["--max-turns", "9", "--tell", "every-turn", "--at-limit", "stop"],
      script,
    );
    const bodies = seen.provider.requests
      .filter(({ body }) => JSON.stringify(body).includes(LINE))
      .map(({ body }) => conversationOf(body as Record<string, unknown>));
    expect(bodies).toHaveLength(3);
    for (const [n, body] of bodies.entries()) {
      const line = body.indexOf(LINE);
      // Nothing of the conversation comes after it.
      expect(body.slice(line)).not.toMatch(/"(text|content|parts)":/);
      const next = bodies[n + 1];
      const before = body.slice(0, line).replace(/,?\{[^{}]*(\[\{[^{}]*)?$/, "");
      if (next) expect(next.startsWith(before)).toBe(true);
    }
  });
});

/** The conversation of a request, without the marks, and the form of a text, that move from request to request. */
function conversationOf({ messages, input, contents }: Record<string, unknown>): string {
  const all = (messages ?? input ?? contents) as { content?: unknown }[];
  const inBlocks = all.map((one) =>
    typeof one.content === "string" ? { ...one, content: [{ type: "text", text: one.content }] } : one,
  );
  return JSON.stringify(inBlocks).replace(/,"cache_control":\{[^}]*\}/g, "");
}
