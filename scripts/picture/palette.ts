/** A colour as SVG takes it: `#rrggbb`. */
export type Colour = string;

const first16: readonly Colour[] = [
  ...["#000000", "#cd3131", "#0dbc79", "#e5e510", "#2472c8", "#bc3fbc", "#11a8cd", "#e5e5e5"],
  ...["#666666", "#f14c4c", "#23d18b", "#f5f543", "#3b8eea", "#d670d6", "#29b8db", "#ffffff"],
];

const cubeLevels = [0, 95, 135, 175, 215, 255];

/** One of the 256 colours of a terminal. */
export function indexed(index: number): Colour {
  if (index < 16) return first16[index] ?? "#000000";
  if (index >= 232) return rgb(...grey(index - 232));
  const cube = index - 16;
  const level = (divisor: number) => cubeLevels[Math.floor(cube / divisor) % 6] ?? 0;
  return rgb(level(36), level(6), level(1));
}

export function rgb(red: number, green: number, blue: number): Colour {
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, "0")).join("")}`;
}

function grey(step: number): [number, number, number] {
  const level = 8 + 10 * step;
  return [level, level, level];
}
