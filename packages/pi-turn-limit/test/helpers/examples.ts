import { dirname, join } from "node:path";
import type { PiHost } from "@turn-limit/rig";

/** One of the examples of extensions that come with this Pi. */
export function exampleOf({ cli }: PiHost, name: string): string {
  const dist = cli.split("/").lastIndexOf("dist");
  return join(
    dirname(
      cli
        .split("/")
        .slice(0, dist + 1)
        .join("/"),
    ),
    "examples",
    "extensions",
    name,
  );
}
