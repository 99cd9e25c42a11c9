import { type Amounts, add, amounts } from "../../pools/ledger/amounts.ts";
import type { Store, Take, Taken } from "../../pools/ledger/store.ts";

/** What a test says of a request: what was used since the last one. The rest is as the member is. */
export type Request = Partial<Omit<Take, "pool" | "member" | "used">> & { settle?: Amounts };

/** A member of a pool, which numbers its requests, and adds up what it used. */
export interface TestMember {
  take(request: Request): Promise<Taken>;
  /** Makes its last request again, with the same number. */
  again(): Promise<Taken>;
  /** Its last request, to be made later. */
  readonly last: Take;
}

/** How long the lease of a member is, if a test does not say it. */
export const LEASE = 60_000;

/** A member that uses all that it is granted. */
export function testMember(store: Pick<Store, "take">, pool: string, id: string, name = id): TestMember {
  const used = amounts();
  const where = { pool, member: { id, name } };
  let last: Take = { ...where, incarnation: 1, turn: 0, answered: 0, heard: 0, used: {}, lease: LEASE };
  return {
    async take({ settle = {}, ...request }) {
      const { incarnation, turn, answered, heard } = last;
      if ((request.incarnation ?? incarnation) !== incarnation)
        for (const measure of Object.keys(used)) delete used[measure];
      add(used, settle);
      last = {
        ...where,
        ...{ incarnation, turn: turn + 1, answered, heard, used: amounts(used), lease: LEASE },
        ...request,
      };
      const { turn: number } = last;
      const taken = await store.take(last);
      const { kind, now } = taken;
      if (kind === "granted") add(used, request.want ?? {});
      if (kind === "lost") last = { ...last, answered: 0, heard: 0 };
      if (["granted", "refused", "frozen"].includes(kind)) last = { ...last, answered: number, heard: now };
      return taken;
    },
    again: () => store.take(last),
    get last() {
      return last;
    },
  };
}
