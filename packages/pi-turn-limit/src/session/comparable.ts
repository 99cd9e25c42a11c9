import type { ToolResultEvent } from "@earendil-works/pi-coding-agent";

type Content = ToolResultEvent["content"];

// Pi keeps what is too long to show in a file with another name each time.
const KEPT_OUTPUT = /pi-bash-[0-9a-f]+/g;

/** A tool's result as it is the same for the same call. */
export function comparable(content: Content): Content {
  return content.map((part) =>
    part.type === "text" ? { ...part, text: part.text.replaceAll(KEPT_OUTPUT, "pi-bash") } : part,
  );
}
