import { baseAddress, withoutCredentials } from "../gateway/addresses.ts";
import { wrongInput } from "./command-error.ts";

/** Reads `--route NAME=ADDRESS`: variables, and the base addresses of the providers that they stand for. */
export function readRoutes(given: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(given.map(route));
}

function route(given: string): [variable: string, upstream: string] {
  const [, variable, upstream = ""] = /^([A-Za-z_][A-Za-z0-9_]*)=(.*)$/s.exec(given) ?? [];
  if (variable !== undefined && baseAddress(upstream)) return [variable, upstream];
  const shown =
    variable === undefined ? withoutCredentials(given) : `${variable}=${withoutCredentials(upstream)}`;
  throw wrongInput(
    `${JSON.stringify(shown)} from --route is not a variable with the base address of a provider. Use ` +
      "NAME=ADDRESS, such as OPENAI_BASE_URL=https://api.openai.com/v1.",
  );
}
