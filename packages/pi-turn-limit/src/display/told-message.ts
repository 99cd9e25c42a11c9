import type { ExtensionAPI } from "@earendil-works/pi-coding-agent";
import { oneLine, padEnd, wrap } from "../core.ts";

const MARGIN = " ";

/** Shows what the model is told, as a block of the transcript, under a heading instead of Pi's name for it. */
export function registerToldMessage(pi: ExtensionAPI, customType: string, heading: string): void {
  pi.registerMessageRenderer(customType, ({ content }, _options, theme) => {
    // Pi shows anything else in its own way.
    if (typeof content !== "string") return undefined;
    return {
      render: (width) => {
        const room = Math.max(1, width - 2 * MARGIN.length);
        const line = (text: string, colour: (text: string) => string) =>
          theme.bg("customMessageBg", colour(padEnd(MARGIN + text, width)));
        const blank = line("", String);
        const told = content
          .split("\n")
          .flatMap((text) => (text.trim() === "" ? [""] : wrap(oneLine(text), room)));
        return [
          blank,
          ...wrap(heading, room).map((text) =>
            line(text, (text) => theme.fg("customMessageLabel", theme.bold(text))),
          ),
          blank,
          ...told.map((text) => line(text, (text) => theme.fg("customMessageText", text))),
          blank,
        ];
      },
      invalidate() {},
    };
  });
}
