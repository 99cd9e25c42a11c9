const NEARLY = 0.8;
const ROUNDING = 1e-9;

/** How near a limit is, as a colour of the theme. */
export type Urgency = "success" | "warning" | "error";

/** Green, yellow at 80 % and more, red at the limit. */
export function urgencyOf(share: number): Urgency {
  if (share >= 1) return "error";
  return share >= NEARLY ? "warning" : "success";
}

/** A share in per cent, which reads as 100 % only at the limit. */
export function percentOf(share: number | undefined): string {
  if (share === undefined) return "";
  if (share >= 10) return ">999 %";
  if (share > 0 && share < 0.01) return "<1 %";
  return `${Math.floor(share * 100 + ROUNDING)} %`;
}
