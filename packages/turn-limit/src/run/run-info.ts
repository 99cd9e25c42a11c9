import type { Member } from "./shared-budgets.ts";

/** Which run it is: to tell runs apart that one adapter governs at the same time. */
export interface RunInfo {
  /** Unlike that of any other run: the host's own id of the run, where it has one. */
  readonly id: string;
  /** What the caller gave the host as the context of this run, where the host has such a thing. */
  readonly context: unknown;
  /** Who it is in the pools that it draws from. */
  readonly member: Member;
}

/** What a host may say of a run. */
export type RunStart = Partial<Pick<RunInfo, "id" | "context">>;

/** A run, with an id of its own unless the host has one. */
export function runInfo(member: Member, { id = crypto.randomUUID(), context }: RunStart = {}): RunInfo {
  return Object.freeze({ id, context, member });
}

/** Who a run is in the pools that it draws from: made when somebody first asks, because most runs draw from none. */
export class OwnMember {
  readonly #name: string | undefined;
  #member: Member | undefined;

  /** Default name: the script and the number of the process, such as `agent.js (1234)`. */
  constructor(name: string | undefined) {
    this.#name = name;
  }

  get known(): Member {
    this.#member ??= { id: crypto.randomUUID(), name: this.#name ?? processName() };
    return this.#member;
  }
}

export function processName(): string {
  const { argv = [], pid } = (globalThis as { process?: { argv?: string[]; pid?: number } }).process ?? {};
  const script = argv[1]?.split(/[\\/]/).at(-1) ?? "agent";
  return pid === undefined ? script : `${script} (${pid})`;
}
