import fc from "fast-check";
import type { Max, Reply } from "../../../src/index.ts";

export type MemberId = "ada" | "bob" | "eve";

/** What a member asks for. */
export interface Request {
  settle?: Record<string, number>;
  want?: Record<string, number>;
  hold?: Record<string, number>;
  limits?: Record<string, Max>;
  force?: boolean;
  /** It goes on in spite of the freeze that began then. */
  thawed?: number;
  /** Its period is over. */
  isLate?: boolean;
  leaves?: boolean;
  lease: number;
}

/** What can happen in a pool, as it reaches the store. */
export type Act =
  | { kind: "take"; member: MemberId; turn: number; request: Request }
  | { kind: "extend"; measure: string; by: Max; beyondUsed: boolean; max?: Max }
  | { kind: "end-extension"; measure: string }
  | { kind: "limits"; limits: Record<string, Max> }
  | { kind: "freeze" | "unfreeze" | "reset" }
  | { kind: "ask" | "withdraw"; question: string }
  | { kind: "answer"; question: string; reply: Reply };

/** What is going to happen: something new, the same request or change once more, or nothing for a while. */
export type Plan =
  | { kind: "request"; member: MemberId; request: Request; isThawed: boolean }
  | { kind: "change"; act: Exclude<Act, { kind: "take" }> }
  | { kind: "request again"; member: MemberId }
  | { kind: "change again" }
  | { kind: "wait"; ms: number };

const measure = fc.constantFrom("turns", "steps", "tokens", "cost");
const amountsUpTo = (max: number, min = 0) =>
  fc.dictionary(measure, fc.integer({ min, max }), { maxKeys: 3, noNullPrototype: true });
const max: fc.Arbitrary<Max> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 12 }) },
  { weight: 1, arbitrary: fc.constant("unlimited" as const) },
);
const limits = fc.dictionary(measure, max, { maxKeys: 4, noNullPrototype: true });
const member = fc.constantFrom<MemberId[]>("ada", "bob", "eve");
const question = fc.constantFrom("q1", "q2");
const seldom = fc.constantFrom(...Array<false>(7).fill(false), true);
const reply = fc.constantFrom<Reply[]>(true, false, { more: 2 }, "unlimited", "wrap-up");

const anyRequest = fc.record<Request>(
  {
    settle: amountsUpTo(5, -2),
    want: amountsUpTo(3),
    hold: amountsUpTo(6),
    limits,
    force: seldom,
    isLate: seldom,
    leaves: seldom,
    lease: fc.constantFrom(0, 20, 100),
  },
  { requiredKeys: ["lease"], noNullPrototype: true },
);

// Whoever leaves reserves nothing.
const request = anyRequest.map(({ want, hold, ...rest }): Request => {
  return rest.leaves ? rest : { ...rest, ...(want && { want }), ...(hold && { hold }) };
});

const change: fc.Arbitrary<Exclude<Act, { kind: "take" }>> = fc.oneof(
  fc.record(
    { kind: fc.constant("extend" as const), measure, by: max, beyondUsed: fc.boolean(), max },
    { requiredKeys: ["kind", "measure", "by", "beyondUsed"] },
  ),
  fc.record({ kind: fc.constant("end-extension" as const), measure }),
  fc.record({ kind: fc.constant("limits" as const), limits }),
  fc.record({ kind: fc.constantFrom("freeze" as const, "unfreeze" as const, "unfreeze" as const) }),
  fc.record({ kind: fc.constant("reset" as const) }),
  fc.record({ kind: fc.constantFrom("ask" as const, "withdraw" as const), question }),
  fc.record({ kind: fc.constant("answer" as const), question, reply }),
);

export const anyPlans: fc.Arbitrary<Plan[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("request" as const),
        member,
        request,
        isThawed: fc.boolean(),
      }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant("change" as const), act: change }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("request again" as const), member }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("change again" as const) }) },
    {
      weight: 2,
      arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(1, 19, 20, 100) }),
    },
  ),
  { maxLength: 40, size: "max" },
);
