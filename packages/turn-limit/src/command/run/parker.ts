import { hostname } from "node:os";
import { basename } from "node:path";
import type { Ask } from "../../core/governor/decision.ts";
import { questionOf } from "../../core/limits/boundary.ts";
import type { ParkableRun } from "../../gateway/requests/parking.ts";
import { knownOptionsIn, programName } from "../../launch/command-line.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { parkRun } from "../../pools/listing/parked-runs.ts";
import { snapshotOf } from "../../pools/listing/run-snapshot.ts";
import { storeOption } from "../stores.ts";
import type { RunOptions } from "./options.ts";
import type { ParkedAs } from "./summary.ts";

/** How many characters of a random id name a parked run. */
const ID_LETTERS = 8;

/** Parks one run of an agent in a store. */
export class Parker {
  readonly #options: RunOptions;
  readonly #folder: string;
  readonly #id: string;
  /** What the run is called. */
  name = "";
  /** Under which name it was parked, if it was. */
  parked: ParkedAs | undefined;
  /** The limit that starts over by itself, if it was parked until then. */
  waitsFor: Ask | undefined;

  /** `id`: that of the run that this one goes on from. */
  constructor(options: RunOptions, folder: string, id: string = crypto.randomUUID().slice(0, ID_LETTERS)) {
    this.#options = options;
    this.#folder = folder;
    this.#id = id;
  }

  /** Parks it. Resolves with how to go on, in a sentence. */
  async park(store: Store, { question, session, state, view }: ParkableRun): Promise<string> {
    const { launcher, args, isHeadless, typed } = this.#options;
    const place = { agent: launcher.name, folder: this.#folder, host: hostname() };
    const { state: _, ...seen } = snapshotOf({ view, model: undefined }, place);
    const { sessions } = launcher;
    const parked = {
      session,
      program: programOf(this.#options),
      args: sessions ? knownOptionsIn(args, sessions.options) : [],
      isHeadless,
      options: typed,
      state: JSON.stringify(state),
    };
    await parkRun(store, {
      id: this.#id,
      name: this.name,
      run: { ...seen, parked },
      question: questionOf(question),
    });
    const resume = `npx turn-limit resume ${this.#id}${storeOption(this.#options.store)}`;
    this.parked = { id: this.#id, resume };
    if (!question.waits) return `To go on: ${resume}`;
    this.waitsFor = question;
    return `turn-limit run goes on with it then. If that has ended: ${resume}`;
  }
}

/** These start an agent by the word after them. */
const STARTERS = /^(?:npx|bunx|node|bun|deno)$/;

/** How the agent is started without its arguments, where the command line says it plainly; else by its name. */
function programOf({ line, args, isNamed, launcher }: RunOptions): string[] {
  const words = line.slice(0, line.length - args.length);
  const isPlain = isNamed && args.every((arg, at) => arg === line[words.length + at]);
  const program = words.at(-1);
  const [starter = ""] = words;
  if (isPlain && program !== undefined) {
    if (launcher.commands.includes(programName(program))) return [program];
    // What is set by `env`, or said to a script, may be a secret or a prompt.
    if (STARTERS.test(programName(basename(starter)))) return [starter, ...words.slice(1)];
  }
  return launcher.commands.slice(0, 1);
}
