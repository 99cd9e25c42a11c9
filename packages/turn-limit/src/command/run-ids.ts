/** How many characters of an id are enough to name a run. */
const FEWEST_CHARACTERS = 4;

/** Does a person name the run with this id by the beginning of the id? */
export function isBeginningOf(id: string, wanted: string): boolean {
  return wanted.length >= FEWEST_CHARACTERS && id.startsWith(wanted);
}
