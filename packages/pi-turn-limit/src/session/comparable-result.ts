import type { ToolResultEvent } from "@earendil-works/pi-coding-agent";

type Content = ToolResultEvent["content"];

// Pi writes output that is too long to show to a file, with a new name each time.
const KEPT_OUTPUT = /pi-bash-[0-9a-f]+/g;

/** A tool's result, without what differs between equal calls. */
export function comparableResult(content: Content): Content {
  return content.map((part) =>
    part.type === "text" ? { ...part, text: part.text.replaceAll(KEPT_OUTPUT, "pi-bash") } : part,
  );
}
