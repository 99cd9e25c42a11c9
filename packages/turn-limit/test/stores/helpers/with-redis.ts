import { describe, test } from "vitest";
import { isRedisInstalled } from "./redis-server.ts";

/** Describes what needs a real `redis-server`. Where there is none it is left out, loudly. */
export function withRedis(define: () => void): void {
  if (isRedisInstalled) return void describe("Redis", define);
  const notice = "LEFT OUT: Redis: there is no redis-server. To install it: apt-get install redis-server";
  console.error(notice);
  if (process.env.CI !== "true") test.skip(notice);
  else
    test(notice, () => {
      throw new Error(`${notice}. Under CI=true every part must be tested.`);
    });
}
