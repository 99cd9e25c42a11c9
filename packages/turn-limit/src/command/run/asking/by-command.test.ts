import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { named } from "../../../../test/helpers/named.ts";
import type { Ask, Reply } from "../../../core/governor/decision.ts";
import { Notices } from "../notices.ts";
import { byCommand } from "./by-command.ts";

const COST: Ask = { kind: "ask", id: 1, ...named("cost", { per: "day" }), used: 20.5, max: 20 };
const ASKER = { agent: "Claude Code", cwd: "/site" };
const RUN = { id: "r1", context: undefined, member: { id: "m", name: "agent" } };

async function asked(command: string, signal = new AbortController().signal) {
  let told = "";
  const notices = new Notices({ write: (text) => (told += text) });
  return { reply: await byCommand(command, ASKER, notices)(COST, signal, RUN), told };
}

test.each<[string, Reply]>([
  ["echo yes", true],
  ["echo no", false],
  ["printf 'Unlimited\\n\\n'", "unlimited"],
  ["echo wrap-up", "wrap-up"],
  ["echo '$2.50'", { more: 2.5 }],
  // What it leaves behind keeps its output open.
  ["sleep 30 2>/dev/null & echo yes", true],
])("%s replies %j", async (command, reply) => {
  expect(await asked(command)).toEqual({ reply, told: "" });
});

test.each([
  ["echo yes; exit 3", "it ended with 3."],
  ["true", "it printed nothing."],
  ["echo perhaps", '"perhaps" is not a reply.'],
  ["echo '$0'", 'Invalid amount of cost. "$0" is not above 0.'],
  ["printf '%0200d' 0", "what it printed is too long to be a reply."],
  ["yes", "it printed too much."],
])("%s is no reply, and the person is told why", async (command, why) => {
  const { reply, told } = await asked(command);
  expect(reply).toBeUndefined();
  expect(told).toContain(`turn-limit: --ask ${command}: no reply: ${why}`);
});

test("it reads the question as a line of JSON, and is ended when the question is withdrawn", async () => {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-ask-"));
  try {
    const file = join(folder, "asked");
    const seen = await asked(`cat > '${file}'; echo yes`);
    expect(seen.reply).toBe(true);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual({
      ...named("cost", { per: "day" }),
      used: 20.5,
      max: 20,
      why: null,
      agent: "Claude Code",
      cwd: "/site",
      run: "r1",
      text: "Cost limit per day reached ($20.50/$20.00). Continue?",
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const withdrawn = new AbortController();
  const hanging = asked("sleep 1000 | sleep 1000", withdrawn.signal);
  withdrawn.abort();
  expect(await hanging).toEqual({ reply: undefined, told: "" });
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("a command that does not obey is killed when the question is withdrawn", async () => {
  const folder = await mkdtemp(join(tmpdir(), "turn-limit-ask-"));
  try {
    const file = join(folder, "pid");
    const withdrawn = new AbortController();
    const stubborn = `trap "" TERM; echo $$ > '${file}'; while :; do sleep 0.1; done`;
    const hanging = asked(stubborn, withdrawn.signal);
    const written = () => readFile(file, "utf8").then(Number, () => 0);
    await expect.poll(written).toBeGreaterThan(0);
    const pid = await written();
    withdrawn.abort();
    expect(await hanging).toEqual({ reply: undefined, told: "" });
    await expect.poll(() => isRunning(pid)).toBe(false);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
