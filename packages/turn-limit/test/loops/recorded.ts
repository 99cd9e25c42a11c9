/** A turn: the calls of one answer, each with its result if it is made. */
export type RecordedTurn = readonly (readonly [tool: string, args: unknown, result: unknown])[];

/** A run as it went: which turns the model took. */
export interface Recorded {
  readonly what: string;
  /** The public thread that tells of it. What each of them says is restated here in the form that its agent's calls have. */
  readonly thread?: string;
  turn(index: number): RecordedTurn;
}

const SENTENCES = [
  "Check the job",
  "See whether it is done",
  "Look at the log once more",
  "Wait for the end",
];
const FILTERS = ["", "slack", "Slack", "slack-app", "slack_app", "slack app"];

/** What the tools of a shell return. */
const shell = (output: string, code = 0) =>
  code === 0 ? output : `${output}\n\nCommand exited with code ${code}`;
const at = <T>(list: readonly T[], index: number): T => list[index % list.length] as T;

/** Loops that people saw. Each goes on until somebody ends it. */
export const LOOPS: readonly Recorded[] = [
  {
    what: "an edit whose text is there several times, with other texts each time",
    thread: "google-gemini/gemini-cli#2137",
    turn: (index) => [
      [
        "replace",
        {
          file_path: "src/app.py",
          old_string: `    return value  # ${index}`,
          new_string: "    return None",
        },
        { error: "Failed to edit, expected 1 occurrence(s) but found 3." },
      ],
    ],
  },
  {
    what: "the same edit that never matches",
    thread: "bytedance/trae-agent#274",
    turn: () => [
      [
        "str_replace_based_edit_tool",
        { command: "str_replace", path: "solution.py", old_str: "x = 1", new_str: "x = 2" },
        { error: "No replacement was performed, old_str `x = 1` did not appear verbatim in solution.py." },
      ],
    ],
  },
  {
    what: "the same folder listed again and again, in two ways",
    thread: "earendil-works/pi#6158",
    turn: (index) => [
      [
        "bash",
        { command: index % 11 < 6 ? "ls ~/.jupyter/custom/" : "ls -la ~/.jupyter/custom/" },
        "custom.css\n",
      ],
    ],
  },
  {
    what: "lists that are empty whatever is asked for",
    thread: "superplanehq/superplane#4123",
    turn: (index) => [["list_integration_resources", { query: at(FILTERS, index) + "!".repeat(index) }, []]],
  },
  {
    what: "a test that never passes, with a change before each try",
    thread: "openJiuwen-ai/jiuwenswarm#409",
    turn: (index) =>
      index % 2 === 0
        ? [
            [
              "edit",
              { path: "parse.py", old: `a${index}`, new: `a${index + 2}` },
              `Edited parse.py, line ${index + 10}`,
            ],
          ]
        : [
            [
              "bash",
              { command: "pytest -q tests/test_parse.py" },
              shell(`E   assert None == 3\n1 failed in ${(index * 0.13).toFixed(2)}s`, 1),
            ],
          ],
  },
  {
    what: "a poll that is answered alike, 42 times",
    thread: "theislampill/IMPLEMENTAUDIT.md#81",
    turn: () => [
      [
        "exec",
        { command: "systemctl show -p ActiveState,SubState job" },
        "ActiveState=active\nSubState=running\n",
      ],
    ],
  },
  {
    what: "a poll whose answer differs only in how long it waited",
    thread: "NousResearch/hermes-agent#75569",
    turn: (index) => [
      [
        "process",
        { action: "wait", session_id: "proc_1", timeout: 60 + index * 30 },
        { status: "timeout", output: "", note: `still running after ${180 + index}s` },
      ],
    ],
  },
  {
    what: "two ranges of a file, in turn",
    thread: "everruns/everruns#2295",
    turn: (index) => [
      [
        "read_file",
        { path: "out.txt", offset: index % 2 === 0 ? 0 : 400, limit: 400 },
        `lines of part ${index % 2}`,
      ],
    ],
  },
  {
    what: "a log that is looked at after pauses of other lengths, in other words",
    thread: "anthropics/claude-code#95202",
    turn: (index) => [
      [
        "Bash",
        { command: `sleep ${20 + index * 5}; tail -1 build.log`, description: at(SENTENCES, index) },
        "compiling core",
      ],
    ],
  },
  {
    what: "a long file that is read over and over in small pieces that never meet",
    thread: "macanderson/stella#4034",
    turn: (index) => [
      [
        "read_file",
        { path: "deck_ui.rs", offset: (580 + index * 40) % 3943, limit: 40 },
        `lines from ${580 + index * 40}`,
      ],
    ],
  },
];

/** Healthy runs that look like loops. Each ends by itself. */
export const HEALTHY: readonly (Recorded & { readonly turns: number })[] = [
  {
    what: "a poll of a long build that gets on",
    thread: "weave-os/router#1123",
    turns: 8,
    turn: (index) => [
      ["exec", { input: "", session: 7 }, `[${index * 12}%] Building CXX object part${index}.o`],
    ],
  },
  {
    what: "a job whose state changes while it is looked at",
    thread: "StartupHakk/OpenMonoAgent.ai#47",
    turns: 6,
    turn: (index) => [
      ["CheckStatus", { job: 4 }, at(["queued", "queued", "running", "running", "uploading", "done"], index)],
    ],
  },
  {
    what: "many files read at once, one of them missing",
    thread: "QwenLM/qwen-code#3236",
    turns: 3,
    turn: (index) =>
      ["README.md", "package.json", "src/a.ts", "src/b.ts", "none.ts"].map((path) => [
        "read_file",
        { path: `${index}/${path}` },
        path === "none.ts" ? { error: `File not found: ${index}/none.ts` } : `text of ${index}/${path}`,
      ]),
  },
  {
    what: "sixteen files, one after the other",
    thread: "open-gsd/gsd-pi#1067",
    turns: 16,
    turn: (index) => [["read", { path: `src/part${index}.ts` }, `text of part ${index}`]],
  },
  {
    what: "tests that fail less with each change",
    turns: 12,
    turn: (index) =>
      index % 2 === 0
        ? [["edit", { path: "a.ts", old: `v${index}`, new: `v${index + 2}` }, "Edited a.ts"]]
        : [
            [
              "bash",
              { command: "npm test" },
              shell(`${12 - index} failed, ${index} passed (1.${index}s)`, 1),
            ],
          ],
  },
  {
    what: "files that are written one by one, each with the same result",
    turns: 6,
    turn: (index) => [
      ["write", { path: `docs/page-${index}.md`, content: `# Page ${index}` }, "File written"],
    ],
  },
  {
    what: "a file read to its end in pieces, the last of them empty",
    turns: 7,
    turn: (index) => [
      ["read", { path: "log.txt", offset: index * 200 }, index < 5 ? `piece ${index}` : "(end of file)"],
    ],
  },
  {
    what: "names that are searched for and not found",
    turns: 8,
    turn: (index) => [["bash", { command: `grep -rn "old${index}Name" src` }, shell("(no output)", 1)]],
  },
  {
    what: "an edit that matches after the file is read, in file after file",
    turns: 12,
    turn: (index) => {
      const path = `src/part${Math.floor(index / 3)}.ts`;
      if (index % 3 === 0)
        return [["edit", { path, old: "guess" }, "Error: the text was not found in the file"]];
      if (index % 3 === 1) return [["read", { path }, `text of ${path}`]];
      return [["edit", { path, old: `text of ${path}` }, `Edited ${path}`]];
    },
  },
  {
    what: "a download that works at the third try",
    turns: 4,
    turn: (index) => [
      [
        "bash",
        { command: `curl --max-time ${10 * (index + 1)} -sSO host/file` },
        index < 2 ? shell("curl: (28) Operation timed out", 28) : "saved",
      ],
    ],
  },
];
