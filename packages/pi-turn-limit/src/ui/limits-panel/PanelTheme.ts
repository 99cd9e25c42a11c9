import type { Theme } from "@earendil-works/pi-coding-agent";

/** What the panel needs of Pi's theme. */
export type PanelTheme = Pick<Theme, "fg" | "bg" | "bold" | "inverse">;
