import { amounts } from "../../ledger/amounts.ts";
import { type Grant, grantOf, lastGrants } from "../../ledger/grants.ts";
import { isRunRecord, type ListedRun } from "../../ledger/listed-run.ts";
import { runsIn, runText } from "../../ledger/past-runs.ts";
import { isHeadChange } from "../../ledger/pool-changes.ts";
import { isHeadName } from "../../ledger/record-name.ts";
import { asSeen, departed, isPresent, lapsed, type MemberEntry } from "../../ledger/rules.ts";
import type { PoolRecord, Store, Take, Taken } from "../../ledger/store.ts";
import { Ticks } from "../ticks.ts";
import { changeOf, stateReader } from "./changed-texts.ts";
import type { Link, Patience } from "./client.ts";
import type { Connection } from "./connection.ts";
import { KnownMembers } from "./known-members.ts";
import { GRANTED_ALL, NOT_KNOWN, TAKE_KNOWN } from "./known-script.ts";
import { PAST_RUNS, REMEMBER } from "./past-runs-script.ts";
import { otherVersion } from "./problems.ts";
import type { Script } from "./script.ts";
import { CHANGE, DELETE, GRANTS, LOOK, READ } from "./state-script.ts";
import { OVERDUE, TAKE } from "./take-script.ts";
import { TakeReply, toRequests } from "./take-wire.ts";
import {
  deletedKeyOf,
  formerKeyOf,
  fromList,
  fromWire,
  grantsKeyOf,
  grantsPattern,
  keyPattern,
  keysOf,
  type List,
  pastRunsKeyOf,
  recordOf,
  runPattern,
  toWire,
} from "./wire.ts";

type ChangeReply = [
  kind: number,
  now: number,
  isWritten: number,
  head: string,
  state: string,
  isKnown: number,
  settled: List,
];
type LookReply = [now: number, head: string, settled: List, held: List, state: string, agents: number];
type ReadReply = [
  ...[now: number, head: string, settled: List, held: List, state: string],
  ...[gone: number, members: MemberReply[]],
];
type MemberReply = [
  ...[id: string, name: string, used: List, holds: List, until: number, place: number],
  run: string,
];

type ArgsOf = (before: number | undefined) => string[];

interface Request {
  take: Take;
  within: number | undefined;
}

/** How many requests one script does at most: meanwhile the server does nothing else. */
const MOST_AT_ONCE = 100;
/** The maximum number of records whose keys are remembered. */
const MOST_KEYS = 4_000;

/** The store on a connection. Tests give it a clock in place of the server's. */
export function recordStore(connection: Connection, prefix: string, clock?: () => number): Store {
  const stateOf = stateReader();
  const given = () => String(clock?.() ?? "");
  /** How far the server's time is ahead of `performance.now()`, or less: its answer was on its way for a while. */
  let ahead: number | undefined;
  /** Records of periods that version 1 does not have. */
  const isNotFormer = new Set<string>();
  const keysOfTakes = new Map<string, string[]>();
  const members = new KnownMembers();

  function before(link: Link, { until }: Patience): number | Promise<number> {
    if (ahead !== undefined) return Math.floor(ahead + until);
    return link.time().then((time) => {
      ahead = timeOf(time) - performance.now();
      return Math.floor(ahead + until);
    });
  }

  // At once where it can be: requests are sent in the order in which they are made.
  function requireNoFormer(link: Link, pool: string): Promise<void> | undefined {
    const key = formerKeyOf(prefix, pool);
    if (key === undefined || isNotFormer.has(pool)) return undefined;
    return link.exists(key).then((exists) => {
      if (exists) throw otherVersion(connection.address, 1);
      isNotFormer.add(pool);
    });
  }

  // A request that the server gets when nobody waits for its answer any more is not done. The server's time may also have
  // been moved: then it is made again.
  function write(
    pool: string,
    script: Script,
    argsOf: ArgsOf,
    within: number | undefined,
    keys = keysOf(prefix, pool),
    first?: { script: Script; argsOf: ArgsOf },
  ): Promise<List> {
    return connection.request(async (link, patience) => {
      const looked = requireNoFormer(link, pool);
      if (looked) await looked;
      let next = first ?? { script, argsOf };
      for (;;) {
        const latest = clock ? undefined : before(link, patience);
        const args = next.argsOf(typeof latest === "object" ? await latest : latest);
        const reply = (await link.run(next.script, keys, args, patience)) as List;
        if (!clock) ahead = Number(reply[1]) - performance.now();
        if (reply[0] === NOT_KNOWN) next = { script, argsOf };
        else if (reply[0] !== OVERDUE) return reply;
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

  async function readRecord(pool: string): Promise<PoolRecord | undefined> {
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
  }

  function takeKeysOf(pool: string): string[] {
    const known = keysOfTakes.get(pool);
    if (known) return known;
    if (keysOfTakes.size >= MOST_KEYS) keysOfTakes.clear();
    const keys = keysOf(prefix, pool);
    keysOfTakes.set(pool, keys);
    return keys;
  }

  async function takeAll(requests: readonly Request[]): Promise<Taken[]> {
    const takes = requests.map(({ take }) => take);
    const [{ take, within }] = requests as [Request];
    const requestsOf = (before: number | undefined) => [toRequests(takes, clock?.(), before)];
    const known = members.requests(takes);
    const first = known && {
      script: TAKE_KNOWN,
      argsOf: (before: number | undefined) => [known.toText(clock?.(), before)],
    };
    const parts = await write(take.pool, TAKE, requestsOf, within, takeKeysOf(take.pool), first);
    if (known && parts[0] === GRANTED_ALL) {
      const [, now, head, state, agents, ...totals] = parts;
      const found = stateOf(String(head), String(state));
      const all = { now: Number(now), found, agents: Number(agents), totals: totals.map(Number) };
      return members.granted(known, all);
    }
    const reply = new TakeReply(parts);
    const { now } = reply;
    const found = stateOf(reply.head, reply.state);
    return takes.map((take) => {
      const { measures, ...taken } = reply.next();
      members.learn(take, measures, taken, found);
      return { ...taken, state: found.state, now };
    });
  }

  const ticks = new Ticks(takeAll, MOST_AT_ONCE);

  return {
    take: (take, within) => ticks.add(`${within ?? ""} ${take.pool}`, { take, within }),
    async change(pool, change, within) {
      const part = isHeadChange(change) ? "head" : "state";
      const key = change.kind === "extend" ? `k:${toWire(change.key)}` : "";
      const mustBeThere = isRunRecord(pool) ? "1" : "";
      const [record, leases, poolsHead = record] = keysOf(prefix, pool) as [string, string, string?];
      const keys = [record, leases, poolsHead, grantsKeyOf(prefix, pool)];
      const ask = async (
        expected = "",
        text = "",
        rules = ["", ""],
        isReset = "",
        grant = "",
        until = "",
      ) => {
        const argsOf = (before: number | undefined) => [
          ...[given(), String(before ?? ""), part, key, expected, text, ...rules, isReset],
          ...[mustBeThere, grant, until],
        ];
        return (await write(pool, CHANGE, argsOf, within, keys)) as unknown as ChangeReply;
      };
      let [, now, isWritten, head, state, isKnown, settled] = await ask();
      for (;;) {
        if (isWritten === GONE) return { made: false, state: stateOf("", "").state, now };
        const found = stateOf(head, state);
        const known = { settled: fromList(settled), limits: found.head.limits, isDone: isKnown === 1 };
        const { made, text, rules, isReset, until } = changeOf(found, change, now, known);
        if (text === undefined) return { made, state: found.state, now };
        const expected = part === "head" ? head : state;
        // The server says when it is done.
        const grant = grantOf(pool, change, found.own, 0);
        const kept = grant && JSON.stringify(grant);
        const reply = await ask(expected, text, rules, isReset ? "1" : "", kept, `${until ?? ""}`);
        // Somebody else may have changed it in between, or its time may be over.
        [, now, isWritten, head, state, isKnown, settled] = reply;
        if (isWritten === WRITTEN) return { made, state: stateOf(head, state).state, now };
      }
    },
    read: readRecord,
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
      const request = crypto.randomUUID();
      const deleted = await connection.request(async (link, patience) => {
        await requireNoFormer(link, pool);
        return link.run(DELETE, [...keys, deletedKeyOf(prefix, pool)], [request], patience);
      });
      return Number(deleted) > 0;
    },
    async list() {
      const keys = await connection.request((link) => link.scan(keyPattern(prefix)));
      const records = keys.map((key) => recordOf(prefix, key)).filter((record) => record !== undefined);
      return [...new Set(records)].filter((record) => !isRunRecord(record));
    },
    async runs() {
      const keys = await connection.request((link) => link.scan(runPattern(prefix)));
      const names = keys.map((key) => recordOf(prefix, key)).filter((record) => record !== undefined);
      const runs = await Promise.all([...new Set(names)].map(readRecord));
      return runs.filter((run) => run !== undefined);
    },
    async grants() {
      const keys = await connection.request((link) => link.scan(grantsPattern(prefix), "list"));
      const lists = [...new Set(keys)].map((key) =>
        connection.request((link, patience) => link.run(GRANTS, [key], [], patience)),
      );
      const texts = (await Promise.all(lists)).flat() as string[];
      return lastGrants(texts.map((text) => JSON.parse(text) as Grant));
    },
    async remember(run) {
      const keys = [pastRunsKeyOf(prefix, run.agent)];
      const args = [given(), `${JSON.stringify(run.id)}\n${runText(run)}`];
      await connection.request((link, patience) => link.run(REMEMBER, keys, args, patience));
    },
    async pastRuns(agent) {
      const keys = [pastRunsKeyOf(prefix, agent)];
      const kept = await connection.request((link, patience) => link.run(PAST_RUNS, keys, [], patience));
      // Behind the id.
      return runsIn((kept as string[]).map((text) => text.slice(text.indexOf("\n") + 1)));
    },
    async now() {
      return clock?.() ?? timeOf(await connection.request((link) => link.time()));
    },
    async close() {
      connection.close();
    },
  };
}

/** What the server says of a change: it is done, or the record is gone that it was for. */
const WRITTEN = 1;
const GONE = 2;

function timeOf(reply: unknown): number {
  const [seconds, micros] = reply as [string, string];
  return Number(seconds) * 1000 + Math.floor(Number(micros) / 1000);
}

// What others do not see is left empty.
function memberOf([id, name, used, holds, until, , run]: MemberReply): MemberEntry {
  return {
    ...(run !== "" && { run: JSON.parse(run) as ListedRun }),
    id: fromWire(id),
    name: fromWire(name),
    used: fromList(used),
    holds: fromList(holds),
    until,
    ...{ told: {}, paid: {}, incarnation: 0, turn: 0 },
  };
}
