import type { Theme } from "@earendil-works/pi-coding-agent";

/** What the panel needs from Pi's theme. */
export type PanelTheme = Pick<Theme, "fg" | "bg" | "bold" | "inverse">;
