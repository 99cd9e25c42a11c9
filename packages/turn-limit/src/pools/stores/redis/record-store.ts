import { amounts } from "../../ledger/amounts.ts";
import {
  type Change,
  changedHead,
  changedState,
  EMPTY_HEAD,
  EMPTY_STATE,
  isHeadChange,
  type PoolHead,
  type PoolState,
  type RecordState,
  seenState,
} from "../../ledger/pool-state.ts";
import { isHeadName } from "../../ledger/record-name.ts";
import { asSeen, departed, isPresent, lapsed, type MemberEntry } from "../../ledger/rules.ts";
import type { Store, Take } from "../../ledger/store.ts";
import type { Link, Patience } from "./client.ts";
import type { Connection } from "./connection.ts";
import { otherVersion } from "./problems.ts";
import type { Script } from "./script.ts";
import { CHANGE, DELETE, LOOK, READ } from "./state-script.ts";
import { KINDS, OVERDUE, TAKE } from "./take-script.ts";
import {
  formerKeyOf,
  fromList,
  fromWire,
  keyPattern,
  keysOf,
  type List,
  Reply,
  recordOf,
  toList,
  toWire,
} from "./wire.ts";

type ChangeReply = [
  kind: number,
  now: number,
  isWritten: number,
  head: string,
  state: string,
  isKnown: number,
];
type LookReply = [now: number, head: string, settled: List, held: List, state: string, agents: number];
type ReadReply = [
  ...[now: number, head: string, settled: List, held: List, state: string],
  ...[gone: number, members: MemberReply[]],
];
type MemberReply = [id: string, name: string, used: List, holds: List, until: number, place: number];

/** The store on a connection. Tests give it a clock in place of the server's. */
export function recordStore(connection: Connection, prefix: string, clock?: () => number): Store {
  const stateOf = stateReader();
  const given = () => String(clock?.() ?? "");
  /** How far the server's time is ahead of `performance.now()`, or less: its answer was on its way for a while. */
  let ahead: number | undefined;
  /** Records of periods that version 1 does not have. */
  const isNotFormer = new Set<string>();

  async function before(link: Link, { until }: Patience): Promise<number> {
    ahead ??= timeOf(await link.time()) - performance.now();
    return Math.floor(ahead + until);
  }

  async function requireNoFormer(link: Link, pool: string): Promise<void> {
    const key = formerKeyOf(prefix, pool);
    if (key === undefined || isNotFormer.has(pool)) return;
    if (await link.exists(key)) throw otherVersion(connection.address, 1);
    isNotFormer.add(pool);
  }

  // A request that the server gets when nobody waits for its answer any more is not done. The server's time may also have
  // been moved: then it is made again.
  function write(
    pool: string,
    script: Script,
    argsOf: (before: number | undefined) => string[],
    within: number | undefined,
  ): Promise<List> {
    const keys = keysOf(prefix, pool);
    return connection.request(async (link, patience) => {
      await requireNoFormer(link, pool);
      for (;;) {
        const args = argsOf(clock ? undefined : await before(link, patience));
        const reply = (await link.run(script, keys, args, patience)) as List;
        if (!clock) ahead = Number(reply[1]) - performance.now();
        if (reply[0] !== OVERDUE) return reply;
        if (performance.now() >= patience.until) throw new Error("It took too long.");
      }
    }, within);
  }

  function read(pool: string, script: Script): Promise<unknown> {
    return connection.request(async (link, patience) => {
      await requireNoFormer(link, pool);
      return link.run(script, keysOf(prefix, pool), [given()], patience);
    });
  }

  return {
    async take(take, within) {
      const argsOf = (before: number | undefined) => [JSON.stringify(toRequest(take, before, clock?.()))];
      const reply = new Reply(await write(take.pool, TAKE, argsOf, within));
      const kind = KINDS[reply.number() - 1] ?? "stale";
      const [now, agents, incarnation] = [reply.number(), reply.number(), reply.number()];
      const refused = reply.names();
      const [holds, settled, held] = [reply.amounts(), reply.amounts(), reply.amounts()];
      const { state } = stateOf(reply.text(), reply.text());
      return { kind, refused, holds, settled, held, state, agents, incarnation, now };
    },
    async change(pool, change, within) {
      const part = isHeadChange(change) ? "head" : "state";
      const key = change.kind === "extend" ? `k:${toWire(change.key)}` : "";
      const ask = async (...args: string[]) => {
        const argsOf = (before: number | undefined) => [given(), String(before ?? ""), part, key, ...args];
        return (await write(pool, CHANGE, argsOf, within)) as unknown as ChangeReply;
      };
      let [, now, , head, state, isKnown] = await ask("", "", "", "", "");
      for (;;) {
        const found = stateOf(head, state);
        const { made, text, rules, isReset } = changeOf(found, change, now, isKnown === 1);
        if (text === undefined) return { made, state: found.state, now };
        const expected = part === "head" ? head : state;
        const reply = await ask(expected, text, ...rules, isReset ? "1" : "");
        // Somebody else may have changed it in between.
        let isWritten: number;
        [, now, isWritten, head, state, isKnown] = reply;
        if (isWritten === 1) return { made, state: stateOf(head, state).state, now };
      }
    },
    async read(pool) {
      const reply = (await read(pool, READ)) as unknown[];
      if (reply.length === 2) return undefined;
      const [now, head, settled, held, text, gone, members] = reply as ReadReply;
      const account = { settled: amounts(fromList(settled)), held: amounts(fromList(held)) };
      const seen = members
        .toSorted((one, other) => one[5] - other[5])
        .map(memberOf)
        .map((member) => (member.until === 0 || isPresent(member, now) ? member : lapsed(account, member)))
        .map((member) => asSeen(member, now));
      const agents = seen.filter((member) => member.isPresent).length;
      const { state } = stateOf(head, text);
      const others = departed(account.settled, seen, gone);
      return { pool, members: seen, departed: others, ...account, state, agents, now };
    },
    async look(pool) {
      const reply = (await read(pool, LOOK)) as unknown[];
      const [now, headText, settled, held, text = "", agents] = reply as LookReply;
      const { head, state } = stateOf(headText, text);
      if (reply.length === 2) return { totals: undefined, terms: head, now };
      return {
        totals: { settled: fromList(settled), held: fromList(held), state, agents },
        terms: head,
        now,
      };
    },
    async delete(pool) {
      const [record, leases, head] = keysOf(prefix, pool) as [string, string, string?];
      const keys = head !== undefined && isHeadName(pool) ? [head] : [record, leases];
      const deleted = await connection.request(async (link, patience) => {
        await requireNoFormer(link, pool);
        return link.run(DELETE, keys, [], patience);
      });
      return Number(deleted) > 0;
    },
    async list() {
      const keys = await connection.request((link) => link.scan(keyPattern(prefix)));
      const records = keys.map((key) => recordOf(prefix, key)).filter((record) => record !== undefined);
      return [...new Set(records)];
    },
    async now() {
      return clock?.() ?? timeOf(await connection.request((link) => link.time()));
    },
    async close() {
      connection.close();
    },
  };
}

function timeOf(reply: unknown): number {
  const [seconds, micros] = reply as [string, string];
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

// Whatever is left out, JSON leaves out.
function toRequest(take: Take, before: number | undefined, now: number | undefined) {
  const { member, incarnation, turn, answered, heard, used, want, hold, limits } = take;
  const { force, thawed, period, lease, leaves, keepFor } = take;
  return {
    id: toWire(member.id),
    name: toWire(member.name),
    incarnation,
    turn,
    answered,
    heard,
    used: toList(used),
    want: want && toList(want),
    hold: hold && toList(hold),
    limits: limits && toList(limits),
    force: force || undefined,
    thawed,
    from: period?.from,
    to: period?.to,
    lease,
    leaves: leaves || undefined,
    keepFor,
    before,
    now,
  };
}

/** The head and the state of a pool, and what members see of them. */
interface FoundState {
  head: PoolHead;
  own: RecordState;
  state: PoolState;
}

/** What a change writes: the new text, and what of it decides requests. `text`: left out if nothing changes. */
interface Written {
  made: boolean;
  text?: string;
  rules: [string, string];
  isReset: boolean;
}

function changeOf({ head, own }: FoundState, change: Change, now: number, isDone: boolean): Written {
  if (isHeadChange(change)) {
    const { made, after } = changedHead(head, change, now);
    const rules: Written["rules"] = [JSON.stringify(toList(after.limits)), String(after.frozen?.at ?? "")];
    return { made, rules, isReset: false, ...(after !== head && { text: JSON.stringify(after) }) };
  }
  const { made, after } = changedState(own, change, now, isDone);
  const extra = Object.keys(after.extra).length > 0 ? JSON.stringify(toList(after.extra)) : "";
  const text = after !== own && { text: JSON.stringify(after) };
  return { made, rules: [extra, ""], isReset: change.kind === "reset", ...text };
}

// What others do not see is left empty.
function memberOf([id, name, used, holds, until]: MemberReply): MemberEntry {
  return {
    id: fromWire(id),
    name: fromWire(name),
    used: fromList(used),
    holds: fromList(holds),
    until,
    ...{ told: {}, paid: {}, incarnation: 0, turn: 0 },
  };
}

// The state changes seldom, and comes with every answer.
function stateReader(): (head: string, own: string) => FoundState {
  let last = { head: "", own: "", found: foundState("", "") };
  return (head, own) => {
    if (head !== last.head || own !== last.own) last = { head, own, found: foundState(head, own) };
    return last.found;
  };
}

function foundState(headText: string, ownText: string): FoundState {
  const head = headText === "" ? EMPTY_HEAD : (JSON.parse(headText) as PoolHead);
  const own = ownText === "" ? EMPTY_STATE : (JSON.parse(ownText) as RecordState);
  return { head, own, state: seenState(head, own) };
}
