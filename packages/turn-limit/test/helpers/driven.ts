import type { GovernorSettings } from "../../src/index.ts";
import type { AdapterOptions } from "../../src/run/index.ts";
import { ManualClock } from "../../src/testing/manual-clock.ts";
import { type Admission, Driver } from "./driver.ts";
import { Person, rest } from "./person.ts";

/** A driver whose run a person has just prompted, with a clock and somebody to ask. */
export function driven(options: AdapterOptions) {
  const clock = new ManualClock(1_000);
  const person = new Person();
  const warnings: string[] = [];
  const driver = new Driver({
    ask: person.ask,
    clock,
    onWarning: (message) => void warnings.push(message),
    ...options,
  });
  driver.begin();
  return { driver, clock, person, warnings };
}

/** The same, where nobody can be asked. */
export function alone(options: AdapterOptions) {
  return driven({ ask: undefined, ...options });
}

/** One that is held at the question, 1 of 1 turns used. */
export async function held(options: AdapterOptions = {}, signal?: AbortSignal) {
  const scene = driven({ turns: 1, ...options });
  await scene.driver.admitTurn();
  scene.driver.turnEnded();
  const admission = scene.driver.admitTurn(signal);
  await rest();
  return { ...scene, admission };
}

/** Several who want a turn at the same time; what became of them so far. */
export function severalWait(driver: Driver, count: number): Admission["kind"][] {
  const decided: Admission["kind"][] = [];
  for (let waiter = 0; waiter < count; waiter += 1)
    void driver.admitTurn().then((admission) => decided.push(admission.kind));
  return decided;
}

/** The ways to change the settings of a run: by themselves, and with what holds. */
export const WAYS: [string, (driver: Driver, settings: GovernorSettings) => void][] = [
  ["alone", (driver, settings) => driver.configure(settings)],
  ["with what holds", (driver, settings) => driver.configure({ ...driver.view.settings, ...settings })],
];
