import type { Grant } from "../../pools/ledger/grants.ts";
import {
  answeredText,
  extendedItselfText,
  extendedText,
  frozenText,
  grantText,
  stoppedText,
  unfrozenText,
} from "../../pools/listing/words.ts";
import { maxFromUnits } from "../../pools/units.ts";
import type { SeenGrant } from "./news.ts";

/** What the page shows of what a person decided. */
export function seenGrant(grant: Grant): SeenGrant {
  const { key, record, question, at, to, where, did } = grant;
  return { id: key, record, question: question?.id ?? null, at, to, where, did, text: textOf(grant) };
}

function textOf(grant: Grant): string {
  const { did, where, question, reply, measure = "", by, why = "", round } = grant;
  if (round) return extendedItselfText(where, round);
  if (did === "answer" && reply !== undefined && question) return answeredText(where, reply, question);
  if (did === "extend" && by !== undefined) return extendedText(where, measure, maxFromUnits(measure, by));
  if (did === "freeze") return frozenText({ where, why });
  if (did === "unfreeze") return unfrozenText(where);
  if (did === "stop") return stoppedText({ where, why });
  return `${grantText(grant)} ${where}.`;
}
