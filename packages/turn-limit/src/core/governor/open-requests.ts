import { SteadyList } from "../steady-list.ts";
import type { Admission } from "./run-state.ts";

// A host that does not say when a request ends must not pile them up.
const MOST = 64;

/** The requests that were admitted and have not ended, in the order in which they began. */
export class OpenRequests {
  readonly #admissions: SteadyList<Admission>;

  constructor(saved: readonly Admission[]) {
    this.#admissions = new SteadyList(saved);
  }

  /** One more begins. If there are too many, nobody is going to say of the first that it ended. */
  add(admission: Admission): void {
    if (this.#admissions.length === MOST) this.take(0);
    this.#admissions.add(admission);
  }

  /** The one at this place, if there is one. */
  at(place: number): Admission | undefined {
    return this.#admissions.at(place);
  }

  /** Where the one with this number is; −1 if it has ended. */
  placeOf(id: number): number {
    let place = this.#admissions.length - 1;
    while (place >= 0 && this.at(place)?.id !== id) place -= 1;
    return place;
  }

  /** Where the latest is that is, or is not, one besides the turns; −1 if there is none. */
  latest(isAside: boolean): number {
    let place = this.#admissions.length - 1;
    while (place >= 0 && (this.at(place)?.activity === "aside") !== isAside) place -= 1;
    return place;
  }

  /** The latest that was not sent yet. */
  get latestUnsent(): Admission | undefined {
    let place = this.#admissions.length - 1;
    while (place >= 0 && this.at(place)?.sent) place -= 1;
    return this.at(place);
  }

  /** The one at this place has ended, or never began. */
  take(place: number): void {
    this.#admissions.take(place);
  }

  clear(): void {
    this.#admissions.clear();
  }

  toState(): Admission[] {
    return this.#admissions.toArray();
  }
}
