import { type Amounts, amounts } from "../../ledger/amounts.ts";
import { changedState, EMPTY_STATE, type PoolState } from "../../ledger/pool-state.ts";
import { asSeen, isPresent, lapsed, type MemberEntry } from "../../ledger/rules.ts";
import type { Store, Take, Taken } from "../../ledger/store.ts";
import type { Connection } from "./connection.ts";
import { isLost, lost } from "./problems.ts";
import { CHANGE, READ } from "./state-script.ts";
import { KINDS, TAKE } from "./take-script.ts";
import { fromList, fromWire, keyPattern, keysOf, type List, poolOf, Reply, toList, toWire } from "./wire.ts";

/** Which record it is, how often it was written, and when it ends: what a server that lost its data does not have. */
type Known = [born: string, written: number, expires: number];

type ReadReply = [now: number, settled: List, held: List, text: string, members: MemberReply[]];
type MemberReply = [
  id: string,
  name: string,
  used: List,
  holds: List,
  paid: List,
  until: number,
  turn: number,
  place: number,
];

/** The store on a connection. Tests give it a clock in place of the server's. */
export function recordStore(connection: Connection, prefix: string, clock?: () => number): Store {
  const known = new Map<string, Known>();
  const stateOf = stateReader();
  const given = () => String(clock?.() ?? "");

  async function take(request: Take): Promise<Taken> {
    const { pool } = request;
    const keys = keysOf(prefix, pool);
    const before = known.get(pool);
    const text = JSON.stringify(toRequest(request, before, clock?.()));
    let list: List;
    try {
      list = (await connection.request((link) => link.run(TAKE, keys, [text]))) as List;
    } catch (error) {
      if (!isLost((error as Error).cause)) throw error;
      if (known.get(pool) === before) known.delete(pool);
      throw lost(connection.address, pool);
    }
    const reply = new Reply(list);
    const kind = KINDS[reply.number() - 1] ?? "stale";
    const now = reply.number();
    const agents = reply.number();
    const [born, written, expires]: Known = [reply.text(), reply.number(), reply.number()];
    const latest = known.get(pool);
    if (latest?.[0] !== born || latest[1] < written) known.set(pool, [born, written, expires]);
    const refused = reply.names();
    const [holds, settled, held] = [reply.amounts(), reply.amounts(), reply.amounts()];
    return { kind, refused, holds, settled, held, state: stateOf(reply.text()), agents, now };
  }

  return {
    take,
    async change(pool, change) {
      const keys = keysOf(prefix, pool);
      const ask = async (...args: string[]) =>
        (await connection.request((link) => link.run(CHANGE, keys, [given(), ...args]))) as [
          number,
          number,
          string,
        ];
      let [, now, text] = await ask("", "", "", "");
      for (;;) {
        const before = stateOf(text);
        const after = changedState(before, change, now);
        if (after === before) return { made: before.done.includes(change.key), state: before, now };
        const isReset = change.kind === "reset" ? "1" : "";
        const [isWritten, later, found] = await ask(text, JSON.stringify(after), rulesOf(after), isReset);
        if (isWritten === 1) return { made: true, state: after, now };
        // Somebody else changed it in between.
        [now, text] = [later, found];
      }
    },
    async read(pool) {
      const reply = await connection.request((link) => link.run(READ, keysOf(prefix, pool), [given()]));
      if ((reply as unknown[]).length === 1) return undefined;
      const [now, settled, held, text, members] = reply as ReadReply;
      const account = {
        settled: amounts(fromList(settled)),
        held: amounts(fromList(held)),
        state: stateOf(text),
      };
      const seen = members
        .toSorted((one, other) => one[7] - other[7])
        .map(memberOf)
        .map((member) => (member.until === 0 || isPresent(member, now) ? member : lapsed(account, member)))
        .map((member) => asSeen(member, now));
      const agents = seen.filter((member) => member.isPresent).length;
      return { pool, members: seen, ...account, agents, now };
    },
    async list() {
      const keys = await connection.request((link) => link.scan(keyPattern(prefix)));
      const pools = keys.map((key) => poolOf(prefix, key)).filter((pool) => pool !== undefined);
      return [...new Set(pools)];
    },
    async now() {
      const time = await connection.request((link) => link.time());
      const [seconds, micros] = time as [string, string];
      return clock?.() ?? Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
    },
    async close() {
      connection.close();
    },
  };
}

// Whatever is left out, JSON leaves out.
function toRequest(take: Take, known: Known | undefined, now: number | undefined) {
  const { member, turn, settle, want, hold, limits, force, thawed, period, lease, leaves, expires } = take;
  return {
    id: toWire(member.id),
    name: toWire(member.name),
    turn,
    settle: toList(settle),
    want: want && toList(want),
    hold: hold && toList(hold),
    limits: limits && toList(limits),
    force: force || undefined,
    thawed,
    from: period?.from,
    to: period?.to,
    lease,
    leaves: leaves || undefined,
    expires,
    known,
    now,
  };
}

// What of the state decides a request, for the script.
function rulesOf({ limits, extra, frozen }: PoolState): string {
  return JSON.stringify([toList(limits), toList(extra), ...(frozen ? [frozen.at] : [])]);
}

function memberOf([id, name, used, holds, paid, until, turn]: MemberReply): MemberEntry {
  const lists: Record<"used" | "holds" | "paid", Amounts> = {
    used: fromList(used),
    holds: fromList(holds),
    paid: fromList(paid),
  };
  return { id: fromWire(id), name: fromWire(name), ...lists, until, turn };
}

// The state changes seldom, and comes with every answer.
function stateReader(): (text: string) => PoolState {
  let last = { text: "", state: EMPTY_STATE };
  return (text) => {
    if (text === "") return EMPTY_STATE;
    if (text !== last.text) last = { text, state: JSON.parse(text) as PoolState };
    return last.state;
  };
}
