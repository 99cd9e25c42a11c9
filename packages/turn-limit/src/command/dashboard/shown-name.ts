import { oneLine } from "../../core/text/text-width.ts";
import { shortId } from "../pools/questions-table.ts";

/** Something to read and to tap on, whatever an agent calls itself. */
export function shownName(name: string, id: string): string {
  return oneLine(name).trim() || shortId(id);
}
