import htm from "htm";
import { h } from "preact";

/** Writes elements as a template. Texts that are put in are shown as texts. */
export const html = htm.bind(h);

export function textIn(event: Event): string {
  return (event.target as HTMLInputElement | HTMLSelectElement).value;
}
