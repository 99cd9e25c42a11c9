import { realpath, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  type AgentName,
  byKind,
  calls,
  kindOf,
  type PreparedAgent,
  prepareAgent,
  runAgent,
  shellCall,
  startScriptedProvider,
  turnOfConversation,
  worksFor,
} from "@turn-limit/rig";
import { describe, test } from "vitest";
import { underLimits } from "./under-run.ts";

const modules = fileURLToPath(new URL("../../../../agents/node_modules", import.meta.url));

/** How a person may start an agent, besides by its name: the words before its arguments. */
type Wrapper = (agent: PreparedAgent) => Promise<string[]> | string[];

const nameOf = ({ kind }: PreparedAgent) => kind.command[0];
const pathOf = ({ kind, root }: PreparedAgent) =>
  kind.program ? join(root, "bin", kind.command[0]) : join(modules, ".bin", kind.command[0]);
const inShell = (program: string) => ["bash", "-c", `${program} "$@"`, "bash"];

const wrappers: Record<string, Wrapper> = {
  "timeout 600 AGENT": (agent) => ["timeout", "600", nameOf(agent)],
  "env A=1 AGENT": (agent) => ["env", "A=1", nameOf(agent)],
  "bash -c AGENT": (agent) => inShell(nameOf(agent)),
  "the path of AGENT behind timeout": (agent) => ["timeout", "600", pathOf(agent)],
  "the path of AGENT in a shell": (agent) => inShell(pathOf(agent)),
  "npx AGENT": async (agent) => {
    await symlink(modules, join(agent.project, "node_modules"));
    return ["npx", nameOf(agent)];
  },
};

async function startedAs(agent: PreparedAgent, words: readonly string[], options: readonly string[]) {
  const kind = { ...agent.kind, command: words as [string, ...string[]] };
  return runAgent({ ...agent, kind }, { prompt: "Go.", wrapWith: underLimits(options) });
}

describe.each<AgentName>(["codex", "opencode", "claude-code", "pi"])("%s", (name) => {
  const all = Object.keys(wrappers);
  // What the first shows for all is not shown again for each.
  test.concurrent.for(name === "codex" ? all : all.filter((what) => /timeout/.test(what)))(
    "is held when it is started as: %s",
    async (what, { expect }) => {
      await using provider = await startScriptedProvider(byKind({ main: worksFor(4) }));
      await using agent = await prepareAgent(name, { providerAddress: provider.address });
      const words = await (wrappers[what] as Wrapper)(agent);

      const { code, stderr } = await startedAs(agent, words, ["--max-turns", "2", "--at-limit", "stop"]);

      expect(stderr).toContain("turn-limit: stopped at 2/2 ");
      expect(provider.requests.filter((request) => kindOf(request) === "main")).toHaveLength(2);
      expect(code).toBe(86);
    },
  );
});

test.concurrent("codex is held when its script is started by Node", async ({ expect }) => {
  await using provider = await startScriptedProvider(byKind({ main: worksFor(4) }));
  await using agent = await prepareAgent("codex", { providerAddress: provider.address });
  const words = ["node", await realpath(pathOf(agent))];

  const { code } = await startedAs(agent, words, ["--max-turns", "2", "--at-limit", "stop"]);

  expect(provider.requests).toHaveLength(2);
  expect(code).toBe(86);
});

/** A script of the person's own, whose first argument is not the agent's. */
const scripts = {
  "start.sh": (line: string) => `#!/bin/sh\n[ "$1" = 42 ] || exit 3\nshift\n${line} "$@"\n`,
  "start.py": (line: string) =>
    `import subprocess, sys\nassert sys.argv[1] == "42"\nsys.exit(subprocess.call([*${JSON.stringify(line.split(" "))}, *sys.argv[2:]]))\n`,
};

test.concurrent.for<[AgentName, keyof typeof scripts, string[]]>([
  ["codex", "start.sh", ["./start.sh"]],
  ["codex", "start.sh", ["sh", "start.sh"]],
  ["codex", "start.py", ["python3", "start.py"]],
  ["claude-code", "start.py", ["python3", "start.py"]],
])(
  "%s is held when it is named by --profile, and %s starts it: %j",
  async ([name, file, words], { expect }) => {
    await using provider = await startScriptedProvider(byKind({ main: worksFor(4) }));
    await using agent = await prepareAgent(name, { providerAddress: provider.address });
    await writeFile(join(agent.project, file), scripts[file](nameOf(agent)), { mode: 0o700 });

    const limits = ["--profile", name, "--max-turns", "2", "--at-limit", "stop"];
    const { code, stderr } = await startedAs(agent, [...words, "42"], limits);

    expect(provider.requests, stderr).toHaveLength(2);
    expect(code).toBe(86);
  },
);

test.concurrent("codex is held when Node starts it by its name, and --profile names it", async ({
  expect,
}) => {
  await using provider = await startScriptedProvider(byKind({ main: worksFor(4) }));
  await using agent = await prepareAgent("codex", { providerAddress: provider.address });
  const script = `const { spawnSync } = require("node:child_process");
    process.exit(spawnSync("codex", process.argv.slice(2), { stdio: "inherit" }).status);`;
  await writeFile(join(agent.project, "start.js"), script);

  const limits = ["--profile", "codex", "--max-turns", "2", "--at-limit", "stop"];
  const { code, stderr } = await startedAs(agent, ["node", "start.js"], limits);

  expect(provider.requests, stderr).toHaveLength(2);
  expect(code).toBe(86);
});

test.concurrent.for<AgentName>(["codex", "claude-code", "pi"])(
  "%s within two runs counts for both, and once for each",
  async (name, { expect }) => {
    await using provider = await startScriptedProvider(byKind({ main: worksFor(4) }));
    await using agent = await prepareAgent(name, { providerAddress: provider.address });
    const inner = underLimits(["--max-requests", "9"]);

    const { code, stderr } = await startedAs(
      agent,
      [...inner, nameOf(agent)],
      ["--max-requests", "3", "--at-limit", "stop"],
    );

    expect(provider.requests).toHaveLength(3);
    expect(stderr).toContain(" 4 requests · ");
    expect(stderr).toContain("turn-limit: stopped at 3/3 requests");
    expect(code).toBe(86);
  },
);

describe("an agent that another one starts", { concurrent: true }, () => {
  test.for<AgentName>(["codex", "opencode", "pi"])("is held: %s by Claude Code", async (name, { expect }) => {
    await using provider = await startScriptedProvider(
      byKind({
        main: (request) => {
          const isOfClaude = String(request.headers["user-agent"]).startsWith("claude-cli");
          if (!isOfClaude || turnOfConversation(request) > 1) return worksFor(3)(request);
          return calls(shellCall(request, command));
        },
      }),
    );
    await using helper = await prepareAgent(name, { providerAddress: provider.address });
    await using agent = await prepareAgent("claude-code", { providerAddress: provider.address });
    const { PATH, ...own } = helper.env;
    const line = [...helper.kind.command, ...helper.kind.headless("Help.", [])];
    const env = Object.entries(own).map(([variable, value]) => `export ${variable}='${value}'; `);
    const command = `${env.join("")}PATH="$PATH:${PATH}"; ${line.map((word) => `'${word}'`).join(" ")} </dev/null`;

    const { stderr, code } = await runAgent(agent, {
      prompt: "Go.",
      wrapWith: underLimits(["--max-requests", "4", "--at-limit", "stop"]),
    });

    expect(stderr).toContain("turn-limit: stopped at 4/4 requests (Claude Code)");
    expect(provider.requests).toHaveLength(4);
    const ofHelper = provider.requests.filter(
      ({ headers }) => !String(headers["user-agent"]).startsWith("claude-cli"),
    );
    expect(ofHelper.length).toBeGreaterThanOrEqual(2);
    expect(code).toBe(86);
  });
});

test.concurrent("a run in which nothing was held does not end with 0, and says so", async ({ expect }) => {
  await using provider = await startScriptedProvider(byKind({ main: worksFor(1) }));
  await using agent = await prepareAgent("codex", { providerAddress: provider.address });
  // Without the path, the variables and the folder that `run` has prepared.
  const away = `env -i HOME='${agent.home}' OPENAI_API_KEY=k PATH='${agent.env.PATH}' codex "$@"`;

  const { code, stderr } = await startedAs(
    agent,
    ["bash", "-c", away, "bash"],
    ["--max-turns", "2", "--profile", "codex"],
  );

  expect(provider.requests.length).toBeGreaterThan(0);
  expect(stderr).toMatch(/\nturn-limit: .*no request came through the gateway, so nothing was held.*\n$/);
  expect(code).toBe(1);
});
