import type { Max } from "../../../src/index.ts";
import type { Act, MemberId, Request } from "./acts.ts";

type Sums = Record<string, number>;

/** So much of a thing, by a member. */
interface Entry {
  member: MemberId;
  measure: string;
  amount: number;
}

interface Verdict {
  kind: string;
  refused: string[];
}

/**
 * A pool as its description says it, and as slowly as can be: lists of everything that happened, added up anew for every
 * question. It shares no code with the ledger.
 */
export class PoolModel {
  /** All that was used, and how many of these came before the last reset. */
  private readonly uses: Entry[] = [];
  private forgotten = 0;
  private holds: Entry[] = [];
  /** What was held by members when they were given up, until they are heard of again. */
  private guesses: Entry[] = [];
  private readonly leaseEnds = new Map<MemberId, number>();
  private readonly known = new Set<MemberId>();
  private readonly replies = new Map<string, Verdict>();
  private extensions: { measure: string; by: Max }[] = [];
  private limits: Record<string, Max> = {};
  private frozenAt: number | undefined;
  private readonly questions = new Map<string, unknown>();

  /** What comes of an act, and what can be seen afterwards. */
  act(act: Act, now: number): Record<string, unknown> {
    this.giveUpTheSilent(now);
    return act.kind === "take" ? { ...this.take(act, now) } : { made: this.change(act, now) };
  }

  seen(now: number): Record<string, unknown> {
    this.giveUpTheSilent(now);
    const members = [...this.known].sort().map((id) => ({
      id,
      used: this.usedBy(id),
      holds: sums(this.holds.filter(({ member }) => member === id)),
      isPresent: this.leaseEnds.has(id),
    }));
    return {
      settled: this.settled(),
      held: sums(this.holds),
      agents: this.leaseEnds.size,
      members,
      extra: this.extra(),
      limits: this.limits,
      frozen: this.frozenAt !== undefined,
      questions: Object.fromEntries(this.questions),
    };
  }

  frozenSince(): number | undefined {
    return this.frozenAt;
  }

  private usedBy(id: MemberId): Sums {
    return sums(this.uses.slice(this.forgotten).filter(({ member }) => member === id));
  }

  private settled(): Sums {
    return sums(this.uses.slice(this.forgotten));
  }

  private giveUpTheSilent(now: number): void {
    for (const [id, end] of this.leaseEnds) {
      if (now < end) continue;
      const lost = this.holds.filter(({ member }) => member === id);
      this.holds = this.holds.filter(({ member }) => member !== id);
      this.uses.push(...lost);
      this.guesses.push(...lost);
      this.leaseEnds.delete(id);
    }
  }

  private take({ member, turn, request }: Act & { kind: "take" }, now: number): Verdict {
    const before = this.replies.get(`${member} ${turn}`);
    if (before) return before;
    const reserves = request.want !== undefined || request.hold !== undefined;
    if (reserves && request.isLate) return { kind: "stale", refused: [] };

    const told = Object.entries(request.settle ?? {}).map(([measure, amount]) => ({
      member,
      measure,
      amount,
    }));
    const guessed = this.guesses.filter((entry) => entry.member === member);
    const settles = sums([...told, ...guessed.map((guess) => ({ ...guess, amount: -guess.amount }))]);
    // Nobody gives back more than it has used since the last reset.
    for (const [measure, amount] of Object.entries(settles))
      this.uses.push({ member, measure, amount: Math.max(amount, -(this.usedBy(member)[measure] ?? 0)) });
    this.guesses = this.guesses.filter((entry) => entry.member !== member);
    this.known.add(member);
    if (request.leaves) this.leaseEnds.delete(member);
    else this.leaseEnds.set(member, now + request.lease);
    if (request.hold || request.leaves) this.holds = this.holds.filter((entry) => entry.member !== member);

    const verdict = reserves ? this.reserve(member, request) : { kind: "granted", refused: [] };
    // Only the last request of a member can be made again.
    for (const key of this.replies.keys()) if (key.startsWith(`${member} `)) this.replies.delete(key);
    this.replies.set(`${member} ${turn}`, verdict);
    return verdict;
  }

  private reserve(member: MemberId, request: Request): Verdict {
    const isThawed = request.thawed !== undefined && request.thawed === this.frozenAt;
    if (this.frozenAt !== undefined && !isThawed && !request.force) return { kind: "frozen", refused: [] };
    const limits = request.limits ?? this.limits;
    const left = (measure: string): number => {
      const most = limits[measure];
      const more = this.extra()[measure] ?? 0;
      if (most === undefined || most === "unlimited" || more === "unlimited") return Infinity;
      return most + more - (this.settled()[measure] ?? 0) - (sums(this.holds)[measure] ?? 0);
    };
    const wants = Object.entries(request.want ?? {});
    const holds = Object.entries(request.hold ?? {});
    const refused = [
      ...wants.filter(([measure, amount]) => amount > left(measure)),
      ...holds.filter(([measure]) => left(measure) <= 0),
    ].map(([measure]) => measure);
    if (refused.length > 0 && !request.force) return { kind: "refused", refused: refused.sort() };
    const fitting = holds.map(([measure, amount]) => ({ measure, amount, room: left(measure) }));
    for (const [measure, amount] of wants) this.uses.push({ member, measure, amount });
    for (const { measure, amount, room } of fitting)
      if (room !== Infinity && room > 0) this.holds.push({ member, measure, amount: Math.min(amount, room) });
    return { kind: "granted", refused: [] };
  }

  private extra(): Record<string, Max> {
    const extra: Record<string, Max> = {};
    for (const { measure, by } of this.extensions) {
      const before = extra[measure] ?? 0;
      extra[measure] = before === "unlimited" || by === "unlimited" ? "unlimited" : before + by;
    }
    return extra;
  }

  // What went over the maximum before is allowed with it.
  private extend({ measure, by, beyondUsed, max = this.limits[measure] }: Act & { kind: "extend" }): void {
    const before = this.extra()[measure] ?? 0;
    const isBound = typeof max === "number" && typeof before === "number";
    const over = isBound && beyondUsed ? Math.max(0, (this.settled()[measure] ?? 0) - max - before) : 0;
    this.extensions.push({ measure, by }, { measure, by: over });
  }

  private change(act: Exclude<Act, { kind: "take" }>, now: number): boolean {
    switch (act.kind) {
      case "extend":
        this.extend(act);
        return true;
      case "end-extension":
        this.extensions = this.extensions.filter(({ measure }) => measure !== act.measure);
        return true;
      case "limits":
        this.limits = act.limits;
        return true;
      case "freeze":
        this.frozenAt = now;
        return true;
      case "unfreeze":
        this.frozenAt = undefined;
        return true;
      case "reset":
        this.forgotten = this.uses.length;
        this.guesses = [];
        this.extensions = [];
        return true;
      case "ask":
        // One that is put again is the same.
        if (!this.questions.has(act.question)) this.questions.set(act.question, "open");
        return true;
      case "answer": {
        const isOpen = this.questions.get(act.question) === "open";
        if (isOpen) this.questions.set(act.question, act.reply);
        return isOpen;
      }
      case "withdraw":
        this.questions.delete(act.question);
        return true;
    }
  }
}

function sums(entries: readonly Entry[]): Sums {
  const measures = new Set(entries.map(({ measure }) => measure));
  const sumOf = (name: string) =>
    entries.filter(({ measure }) => measure === name).reduce((sum, { amount }) => sum + amount, 0);
  return Object.fromEntries([...measures].map((name) => [name, sumOf(name)]).filter(([, sum]) => sum !== 0));
}
