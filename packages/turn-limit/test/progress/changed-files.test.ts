import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { changedFiles } from "../../src/progress/index.ts";
import { Run } from "../../src/run/run.ts";

const folders: string[] = [];

function newFolder(): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "turn-limit-progress-")));
  folders.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function git(folder: string, ...args: string[]): string {
  const who = ["-c", "user.name=a", "-c", "user.email=a@example.com", "-c", "commit.gpgsign=false"];
  return execFileSync("git", ["-C", folder, ...who, ...args], { encoding: "utf8" });
}

/** A repository with a committed file `a.txt`. */
function repository(): string {
  const folder = newFolder();
  git(folder, "init", "-q");
  writeFileSync(join(folder, "a.txt"), "A");
  writeFileSync(join(folder, ".gitignore"), "ignored\n");
  git(folder, "add", ".");
  git(folder, "commit", "-qm", "one");
  return folder;
}

/** What is found after each round of these turns: what was extended for, or `false` where the run is stopped. */
async function found(folder: string, rounds: (() => void)[][]): Promise<(string | boolean | undefined)[]> {
  const max = rounds[0]?.length ?? 0;
  const warnings: string[] = [];
  const run = new Run({
    turns: { max, extend: 9, onExhausted: "stop" },
    progress: changedFiles({ folder }),
    onWarning: (message) => void warnings.push(message),
  });
  run.begin();
  const all: (string | boolean | undefined)[] = [];
  for (const [index, work] of rounds.flat().entries()) {
    const turn = await run.nextTurn();
    if (turn.kind === "stop") break;
    if (index > 0 && index % max === 0) all.push(run.view.standings[0]?.extended?.what);
    work();
    turn.answered();
  }
  const last = await run.nextTurn();
  all.push(last.kind === "stop" ? false : run.view.standings[0]?.extended?.what);
  expect(warnings).toEqual([]);
  return all;
}

const nothing = () => {};

for (const [where, made] of [
  ["a repository", repository],
  ["a folder without one", newFolder],
] as const) {
  const write = (folder: string, path: string, text: string) => () => writeFileSync(join(folder, path), text);

  test(`in ${where}, files with new contents are progress, and a round in which nothing changes is none`, async () => {
    const folder = made();
    const w = (path: string, text: string) => write(folder, path, text);
    expect(
      await found(folder, [
        [w("a.txt", "B"), w("new.txt", "1")],
        [nothing, w("new.txt", "2")],
        [nothing, nothing],
      ]),
    ).toEqual(["2 files changed", "1 file changed", false]);
  });

  test(`in ${where}, a file that is changed back and forth is no progress, in however many turns`, async () => {
    for (const turns of [2, 3, 4, 5]) {
      const folder = made();
      writeFileSync(join(folder, "a.txt"), "A");
      const flips = Array.from({ length: turns }, (_, turn) => write(folder, "a.txt", turn % 2 ? "A" : "B"));
      expect(await found(folder, [flips])).toEqual([false]);
    }
  });

  test(`in ${where}, to delete files, and to bring them back, is no progress`, async () => {
    const folder = made();
    const remove = () => rmSync(join(folder, "a.txt"), { force: true });
    writeFileSync(join(folder, "a.txt"), "A");
    expect(await found(folder, [[remove, nothing]])).toEqual([false]);
    writeFileSync(join(folder, "a.txt"), "A");
    expect(await found(folder, [[remove, write(folder, "a.txt", "A")]])).toEqual([false]);
  });

  test(`in ${where}, what a file had before in the run is nothing new in a later round`, async () => {
    const folder = made();
    const w = (text: string) => write(folder, "a.txt", text);
    expect(
      await found(folder, [
        [w("B"), nothing],
        [w("C"), nothing],
        [w("B"), nothing],
      ]),
    ).toEqual([...["1 file changed", "1 file changed", false]]);
  });
}

test("what is ignored by the repository is no progress, and neither is a commit by itself", async () => {
  const folder = repository();
  mkdirSync(join(folder, "ignored"));
  const ignored = () => writeFileSync(join(folder, "ignored", "log.txt"), `${Math.random()}`);
  expect(await found(folder, [[ignored, ignored]])).toEqual([false]);
  writeFileSync(join(folder, "a.txt"), "B");
  expect(await found(folder, [[() => void git(folder, "commit", "-qam", "two"), nothing]])).toEqual([false]);
});

test("what is changed and committed in one turn is progress, and so is what is new", async () => {
  const folder = repository();
  const commits = () => {
    writeFileSync(join(folder, "a.txt"), "B");
    writeFileSync(join(folder, "b.txt"), "B");
    git(folder, "add", ".");
    git(folder, "commit", "-qm", "two");
  };
  expect(await found(folder, [[commits, nothing]])).toEqual(["2 files changed"]);
});

test("a repository before its first commit is one, and so is a folder within it", async () => {
  const folder = newFolder();
  git(folder, "init", "-q");
  mkdirSync(join(folder, "within"));
  const write = () => writeFileSync(join(folder, "within", "a.txt"), "A");
  expect(await found(join(folder, "within"), [[write, nothing]])).toEqual(["1 file changed"]);
});

test("looking changes nothing in the repository: neither the index nor anything else", async () => {
  const folder = repository();
  // The index knows another time of this file, so that git would like to write it anew.
  writeFileSync(join(folder, "a.txt"), "A");
  const index = join(folder, ".git", "index");
  const before = [readFileSync(index), statSync(index).mtimeMs, git(folder, "count-objects", "-v")];
  await found(folder, [[() => writeFileSync(join(folder, "new.txt"), "1"), nothing]]);
  expect([readFileSync(index), statSync(index).mtimeMs, git(folder, "count-objects", "-v")]).toEqual(before);
});

test("a folder in no repository with too many files is not looked at: a warning, no progress, and no turn waits", async () => {
  const folder = newFolder();
  for (let n = 0; n <= 10_000; n += 1) writeFileSync(join(folder, `${n}`), "");
  const warnings: string[] = [];
  const run = new Run({
    turns: { max: 1, extend: 9, onExhausted: "stop" },
    progress: changedFiles({ folder }),
    onWarning: (message) => void warnings.push(message),
  });
  run.begin();
  const turn = await run.nextTurn();
  if (turn.kind === "turn") turn.answered();
  writeFileSync(join(folder, "a.txt"), "new");
  expect(await run.nextTurn()).toMatchObject({ kind: "stop" });
  expect(warnings).toEqual([
    `progress threw: Error: ${folder} is in no git repository, and has more than 10,000 files. It is taken for no progress.`,
  ]);
});

test("another run begins with the files as they are then", async () => {
  const folder = repository();
  const progress = changedFiles({ folder });
  const run = new Run({ turns: { max: 1, extend: 9, onExhausted: "stop" }, progress });
  for (let prompt = 0; prompt < 2; prompt += 1) {
    run.begin();
    const turn = await run.nextTurn();
    if (turn.kind === "turn") turn.answered();
    writeFileSync(join(folder, "a.txt"), "B");
    // The second time it has been like that before.
    expect((await run.nextTurn()).kind).toBe(prompt === 0 ? "turn" : "stop");
    run.end();
  }
});
