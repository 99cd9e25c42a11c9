import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { byKind, calls, type ProviderRequest, type ProviderScript, says, shellCall } from "@turn-limit/rig";
import { expect, test } from "vitest";
import { underRun } from "./under-run.ts";

const SCHEMA = {
  type: "object",
  properties: { found: { type: "string" } },
  required: ["found"],
  additionalProperties: false,
};
const PARTIAL = { found: "half of it" };
const LIMITS = ["--max-turns", "2", "--at-limit", "answer", "--json"];
const LAST = "Your budget for this task is used up";

const isLast = ({ bytes }: ProviderRequest): boolean => bytes.toString("utf8").includes(LAST);

/** Works until the last turn, and answers like this there. */
const untilTheLast = (answer: (request: ProviderRequest) => ReturnType<typeof says>): ProviderScript =>
  byKind({
    main: (request) => (isLast(request) ? answer(request) : calls(shellCall(request, "echo working"))),
    title: () => says("A title"),
  });

const lineOf = (text: string, ends: "first" | "last") =>
  JSON.parse(
    text
      .trimEnd()
      .split("\n")
      .at(ends === "first" ? 0 : -1) ?? "",
  );

/** What the last request leaves the model: the tool that it must call, or the only one that there is. */
function leftIn({ body, toolNames }: ProviderRequest): unknown {
  const { tool_choice: choice } = body as { tool_choice?: { name?: string } };
  return choice?.name ?? toolNames;
}

test("claude -p --json-schema: the last turn has the tool for the form alone, and what is printed has the form", async () => {
  const answers = calls({ name: "StructuredOutput", arguments: PARTIAL });
  const seen = await underRun(
    "claude-code",
    LIMITS,
    untilTheLast(() => answers),
    {
      args: ["--json-schema", JSON.stringify(SCHEMA), "--output-format", "json"],
    },
  );
  expect(seen.got.main).toBe(3);
  const last = seen.provider.requests.findLast(isLast) as ProviderRequest;
  expect(last.toolsForbidden).toBe(false);
  expect([leftIn(last)].flat()).toEqual(["StructuredOutput"]);
  expect(last.bytes.toString("utf8")).toContain("the only tool that you have left");
  expect(lineOf(seen.stdout, "last")).toMatchObject({ subtype: "success", structured_output: PARTIAL });
  expect(lineOf(seen.stderr, "last")).toMatchObject({ outcome: "salvaged", limit: "turns", turns: 3 });
  expect(seen).toMatchObject({ code: 86, isConfigUnchanged: true });
});

test("claude -p --json-schema: an answer of another form is not asked for again at the provider", async () => {
  const answers = calls({ name: "StructuredOutput", arguments: { found: 5 } });
  const seen = await underRun(
    "claude-code",
    LIMITS,
    untilTheLast(() => answers),
    {
      args: ["--json-schema", JSON.stringify(SCHEMA), "--output-format", "json"],
    },
  );
  expect(seen.got.main).toBe(3);
  expect(lineOf(seen.stderr, "last")).toMatchObject({ outcome: "stopped", limit: "turns", turns: 3 });
  expect(seen.code).toBe(86);
});

test("codex exec --output-schema: the form stays in the request without tools, and what is printed has it", async () => {
  const folder = await mkdtemp(join(tmpdir(), "form-"));
  try {
    const file = join(folder, "schema.json");
    await writeFile(file, JSON.stringify(SCHEMA));
    const answers = says(JSON.stringify(PARTIAL));
    const seen = await underRun(
      "codex",
      LIMITS,
      untilTheLast(() => answers),
      { args: ["--output-schema", file] },
    );
    expect(seen.got.main).toBe(3);
    const last = seen.provider.requests.findLast(isLast) as ProviderRequest;
    expect(last.toolsForbidden).toBe(true);
    expect(last.body).toMatchObject({ text: { format: { type: "json_schema", schema: SCHEMA } } });
    expect(lineOf(seen.stdout, "last")).toEqual(PARTIAL);
    expect(lineOf(seen.stderr, "last")).toMatchObject({ outcome: "salvaged", limit: "turns", turns: 3 });
    expect(seen.code).toBe(86);
  } finally {
    await rm(folder, { recursive: true });
  }
});
