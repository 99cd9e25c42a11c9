import { amountText, exampleOf, maxText } from "../pool-measures.ts";
import { nameOf } from "../pools/changes.ts";
import { knownUse, type PoolView, type Use } from "../pools/pool-view.ts";
import type { Rates, SeenLimit, SeenPool, SeenRun } from "./news.ts";
import { seenQuestion } from "./seen-question.ts";
import { shownName } from "./shown-name.ts";

/** What the page shows of a pool or a run. */
export function seenPool(pool: PoolView, since: number, rates: Rates): SeenPool {
  const { record, agents, frozen, startsOver, members, questions, run } = pool;
  return {
    record,
    name: shownName(nameOf(pool), pool.id),
    run: run && seenRun(run),
    agents,
    frozen: frozen && (frozen.why || frozen.where || "by hand"),
    since: run ? Date.parse(run.active) : since,
    startsOver: startsOver === null ? null : Date.parse(startsOver),
    limits: knownUse(pool)
      .filter(([, { used, max }]) => used > 0 || max !== "unlimited")
      .map(([measure, each]) => seenLimit(measure, each)),
    members: (run ? [] : members)
      .filter(({ present }) => present)
      .map(({ id, name, used }) => ({
        id,
        name: shownName(name, id),
        used: Object.entries(used).map(([measure, amount]) => `${measure} ${amountText(measure, amount)}`),
      })),
    questions: questions.filter(({ open }) => open).map(seenQuestion),
    rates,
  };
}

function seenRun({
  agent,
  folder,
  host,
  model,
  state,
  since,
  stopped,
}: NonNullable<PoolView["run"]>): SeenRun {
  const place = [folder, host && `on ${host}`].filter(Boolean).join(" ");
  return {
    about: [agent, place, model ?? ""].filter((part) => part !== ""),
    state,
    began: Date.parse(since),
    stopped: stopped && (stopped.why || "by hand"),
  };
}

function seenLimit(measure: string, { used, max }: Use): SeenLimit {
  const isLimited = typeof max === "number";
  return {
    measure,
    used: amountText(measure, used, max ?? undefined),
    max: max === null ? null : maxText(measure, max),
    share: isLimited ? Math.min(1, max > 0 ? used / max : 1) : null,
    example: exampleOf(measure),
  };
}
