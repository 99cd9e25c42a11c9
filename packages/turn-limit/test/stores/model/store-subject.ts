import { type Amounts, add, amounts } from "../../../src/pools/ledger/amounts.ts";
import type { Change } from "../../../src/pools/ledger/pool-changes.ts";
import type { Store } from "../../../src/pools/ledger/store.ts";
import type { Act } from "./acts.ts";

/** What can be seen of a pool. */
export interface Seen {
  settled: Record<string, number>;
  held: Record<string, number>;
  agents: number;
  members: { id: string; used: object; holds: Record<string, number>; isPresent: boolean }[];
  extra: object;
  limits: object;
  frozen: boolean;
  questions: object;
}

/** A pool in a real store, seen as the model sees it. */
export class StoreSubject {
  private readonly store: Store;
  private readonly pool: string;
  /** What each member last said that it used, and was granted then. */
  private readonly said = new Map<string, { turn: number; used: Amounts; granted: Amounts }>();

  constructor(store: Store, pool: string) {
    this.store = store;
    this.pool = pool;
  }

  async act(act: Act, key: string): Promise<Record<string, unknown>> {
    if (act.kind !== "take") {
      const { made } = await this.store.change(this.pool, changeOf(act, key));
      return { made };
    }
    const { member, turn, request } = act;
    const { isLate, settle = {}, ...rest } = request;
    const now = await this.store.now();
    // A request that is made again says the same once more.
    const isAgain = this.said.get(member)?.turn === turn;
    const used = isAgain ? (this.said.get(member)?.used ?? {}) : this.usedWith(member, settle);
    const taken = await this.store.take({
      pool: this.pool,
      member: { id: member, name: member },
      ...{ incarnation: 1, turn, answered: 0, heard: 0 },
      used,
      ...rest,
      ...(isLate && { period: { from: now - 10, to: now } }),
    });
    if (taken.kind !== "stale") {
      const granted = taken.kind === "granted" ? (request.want ?? {}) : {};
      this.said.set(member, { turn, used, granted });
    }
    return { kind: taken.kind, refused: [...taken.refused].sort() };
  }

  /** All that the member used, with what it was granted and with this. */
  private usedWith(member: string, settle: Amounts): Amounts {
    const { used, granted } = this.said.get(member) ?? { used: {}, granted: {} };
    const all = amounts(used);
    add(all, granted);
    add(all, settle);
    return all;
  }

  async seen(): Promise<Seen | undefined> {
    const record = await this.store.read(this.pool);
    if (!record) return undefined;
    const { settled, held, agents, members, state } = record;
    const questions = Object.entries(state.questions).map(([id, { reply = "open" }]) => [id, reply]);
    return {
      settled: something(settled),
      held: something(held),
      agents,
      members: members
        .map(({ id, used, holds, isPresent }) => ({
          id,
          used: something(used),
          holds: something(holds),
          isPresent,
        }))
        .sort((one, other) => (one.id < other.id ? -1 : 1)),
      extra: { ...state.extra },
      limits: { ...state.limits },
      frozen: state.frozen !== undefined,
      questions: Object.fromEntries(questions),
    };
  }
}

// A store may or may not say that there is nothing of a thing.
function something(amounts: Amounts): Record<string, number> {
  return Object.fromEntries(Object.entries(amounts).filter(([, amount]) => amount !== 0));
}

function changeOf(act: Exclude<Act, { kind: "take" }>, key: string): Change {
  switch (act.kind) {
    case "freeze":
      return { kind: "freeze", key, why: "for the test" };
    case "ask": {
      const question = { id: act.question, member: "ada", name: "ada", limit: "turns", used: 1, max: 1 };
      return { kind: "ask", key, question };
    }
    case "unfreeze":
    case "reset":
      return { kind: act.kind, key };
    case "withdraw":
      return { kind: "withdraw", key, question: act.question };
    default:
      return { ...act, key };
  }
}
