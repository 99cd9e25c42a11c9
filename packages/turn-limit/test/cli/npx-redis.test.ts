import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { redisStore } from "../../src/pools/stores/redis/index.ts";
import { fill } from "../command/a-store.ts";
import { RedisServer } from "../stores/helpers/redis-server.ts";
import { withRedis } from "../stores/helpers/with-redis.ts";

const execute = promisify(execFile);
const root = join(import.meta.dirname, "..", "..", "..", "..");
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "npx-"));
  await mkdir(join(folder, "elsewhere"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A package as it would be published, and those that it depends on: there is no registry to find them in. */
async function packed(path: string): Promise<string[]> {
  const args = ["pack", "--ignore-scripts", "--json", "--pack-destination", folder];
  const { stdout } = await execute("npm", args, { cwd: path });
  const [{ filename } = { filename: "" }] = Object.values(JSON.parse(stdout)) as { filename: string }[];
  const { dependencies = {} } = JSON.parse(await readFile(join(path, "package.json"), "utf8"));
  const others = Object.keys(dependencies).map((name) => packed(join(root, "node_modules", name)));
  return [join(folder, filename), ...(await Promise.all(others)).flat()];
}

/** Runs `npx --package … turn-limit` somewhere else, with a cache that is empty. */
function npx(packages: readonly string[], ...args: string[]) {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    npm_config_offline: "true",
    npm_config_cache: join(folder, "cache"),
  };
  const options = ["--yes", "--legacy-peer-deps", ...packages.flatMap((file) => ["--package", file])];
  return execute("npx", [...options, "turn-limit", ...args], { cwd: join(folder, "elsewhere"), env });
}

withRedis(() => {
  test("npx turn-limit reaches a Redis server if it is given the package as well", async () => {
    await using server = await RedisServer.start();
    const store = redisStore(server.address);
    await fill(store);
    await store.close();
    const core = await packed(join(root, "packages", "turn-limit"));
    const redis = await packed(join(root, "node_modules", "redis"));

    const { stdout } = await npx([...core, ...redis], "pools", "--store", server.address);
    expect(stdout).toMatch(/^research +1 +12\/40 /m);

    const failed = await npx(core, "pools", "--store", server.address).catch((error) => error);
    expect(failed.stderr).toContain(
      "Install it: npm install redis. With npx: npx --package turn-limit --package redis turn-limit",
    );
  });
});
