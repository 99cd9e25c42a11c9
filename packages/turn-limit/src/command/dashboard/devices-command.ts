import { oneLine } from "../../core/text/text-width.ts";
import { parseArguments } from "../arguments.ts";
import { cannotBeDone, unknownWord, wrongInput } from "../command-error.ts";
import { line, table, written } from "../pools/lines.ts";
import { hasColours, type Surroundings } from "../surroundings.ts";
import { Devices, devicesFolder } from "./devices.ts";

export const DEVICES_HELP = `Usage: turn-limit devices [ACTION] [--json]

Lists the browsers that may use the dashboard of this person, and the programs
that may read its /metrics.

  (no action)         list them
  add                 show a code, with which one more browser is paired within
                      five minutes
  add --metrics NAME  show a token, which is good for /metrics and nothing else
  revoke ID           take its access away, at once

  --json              print JSON
  --help              print this
`;

/** `turn-limit devices`: lists, adds and revokes the devices that may use dashboards. */
export async function devicesCommand(args: readonly string[], around: Surroundings): Promise<undefined> {
  const { words, options } = parseArguments(args, { json: "flag", metrics: "value" });
  const [action, id, surplus] = words;
  const { stdout } = around;
  if (action !== undefined && action !== "add" && action !== "revoke")
    throw unknownWord(action, "an action", ["add", "revoke"]);
  const tooMany = action === "revoke" ? surplus : id;
  if (tooMany !== undefined) throw wrongInput(`${JSON.stringify(tooMany)} is one word too many.`);
  if (action === "revoke" && id === undefined)
    throw wrongInput("ID is missing. Use turn-limit devices revoke ID.");
  if (options.metrics !== undefined && action !== "add")
    throw wrongInput("--metrics adds a program. Use turn-limit devices add --metrics NAME.");
  const devices = new Devices(devicesFolder(around.env));
  const print = (value: object, text: string) =>
    stdout.write(options.json ? `${JSON.stringify(value, null, 2)}\n` : `${text}\n`);
  if (options.metrics !== undefined) {
    const token = devices.addForMetrics(options.metrics);
    print({ token }, `The token of ${oneLine(options.metrics)}, which is shown only now:\n${token}`);
  } else if (action === "add") {
    const code = devices.newCode();
    print(
      { code },
      `Type ${code.slice(0, 4)}-${code.slice(4)} on the page of the dashboard, within five minutes.`,
    );
  } else if (action === "revoke") {
    if (!devices.revoke(id as string))
      throw cannotBeDone(`${JSON.stringify(id)} is not a device. turn-limit devices lists them.`);
    print({ revoked: id }, `${id} may no longer use the dashboard.`);
  } else {
    const list = devices.list();
    const rows = list.map(({ id, name, paired, use }) => ({
      cells: [id, oneLine(name), paired, use],
      style: undefined,
    }));
    const lines =
      list.length === 0
        ? [line("No device is paired. turn-limit dashboard shows how.")]
        : table(
            ["ID", "NAME", "PAIRED", "FOR"],
            rows,
            stdout.isTTY ? stdout.columns : Number.POSITIVE_INFINITY,
          );
    print({ devices: list }, lines.map((each) => written(each, hasColours(around))).join("\n"));
  }
  return undefined;
}
