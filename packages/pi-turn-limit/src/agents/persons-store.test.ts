import { existsSync } from "node:fs";
import { mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { PersonsStore } from "./persons-store.ts";

async function storeFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "persons-store-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return join(folder, "turn-limit.sqlite");
}

const note = { kind: "mark", key: "1", mark: "seen" } as const;

test("that there was a store is kept beside it, so that one that was deleted is noticed", async () => {
  const file = await storeFile();
  const first = new PersonsStore(file);
  await first.change("day", note);
  await first.close();
  await rm(file);
  await expect(new PersonsStore(file).now()).rejects.toThrow("was deleted");
});

test("of one that is damaged the person is told to move it away, and that is enough", async () => {
  const file = await storeFile();
  const first = new PersonsStore(file);
  await first.change("day", note);
  await first.close();
  for (const rest of ["-wal", "-shm"]) await rm(file + rest, { force: true });
  await writeFile(file, "This is not a database, whatever its name is.");
  const store = new PersonsStore(file);
  onTestFinished(() => store.close());
  await expect(store.change("day", note)).rejects.toThrow("move it away");
  await rm(file);
  expect(await store.change("day", note)).toMatchObject({ made: true });
});

test("a store that was asked for the time alone has no file, and none was deleted", async () => {
  const file = await storeFile();
  const first = new PersonsStore(file);
  await first.now();
  await first.close();
  expect(existsSync(file)).toBe(false);
  expect(await new PersonsStore(file).now()).toBeGreaterThan(0);
});

test("where that cannot be written, the store works", async () => {
  const file = await storeFile();
  await symlink(join(file, "..", "missing", "kept"), `${file}.kept`);
  const kept = new PersonsStore(file);
  onTestFinished(() => kept.close());
  expect(await kept.change("day", note)).toMatchObject({ made: true });
  expect(await kept.change("day", { ...note, key: "2" })).toMatchObject({ made: false });
});
