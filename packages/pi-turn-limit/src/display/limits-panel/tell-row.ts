import { homedir } from "node:os";
import { sep } from "node:path";
import { invalid, TELL_ALLOWED } from "../../core.ts";
import { TELL_COMMAND } from "../../limits/own-commands.ts";
import { readTell, TELL, TELL_INPUT, tellSetting, whyNotTold } from "../../limits/tell.ts";
import { DEFAULT } from "../../settings/format-limit.ts";
import type { LimitsInForce } from "../../settings/limits-in-force.ts";
import { userSettingsFile } from "../../settings/pi-folders.ts";
import { valueAt } from "../../settings/settings.ts";
import { saveTell } from "../../settings/write-settings-file.ts";
import type { LimitRow } from "./limit-rows.ts";

type TellShown = Pick<LimitsInForce, "values" | "placeOf" | "choose" | "takeBackAt" | "saved">;

/** When the model is told what it has left, as `/limits` shows it, and how it is changed there. */
export function tellRow(limits: TellShown, changed: () => void): LimitRow {
  const text = String(valueAt(limits.values, [TELL]));
  const { name, file = "" } = limits.placeOf([TELL], TELL_COMMAND);
  return {
    key: TELL,
    isSwitch: true,
    isOff: text === tellSetting.initial,
    label: "Tell model",
    ...{ used: "", share: undefined, policy: "", agents: [] },
    max: text,
    source: name,
    file: shortPath(file),
    text,
    examples: "on, off, every-turn, or shares of each limit in percent: 50,90.",
    help: [
      `${TELL_ALLOWED}: when the model is told what it has left of each limit, in one line of that request`,
      `${DEFAULT}: what is configured`,
    ],
    set: (given) => {
      const tell = readTell(given);
      if (given.trim().toLowerCase() === DEFAULT) limits.takeBackAt([TELL]);
      else if (tell === undefined) return { refusal: invalid(TELL_INPUT.name, whyNotTold(given)) };
      else limits.choose({ [TELL]: tell });
      changed();
      return { rows: [TELL] };
    },
    save: () => {
      const path = userSettingsFile();
      const problem = saveTell(path, text);
      if (problem === undefined) limits.saved({ [TELL]: text });
      const saved = `Saved to your settings, ${shortPath(path)}. They hold in new sessions.`;
      return { isSaved: problem === undefined, text: problem ?? saved };
    },
  };
}

function shortPath(source: string): string {
  return source.replace(`${homedir()}${sep}`, `~${sep}`);
}
