import { budgetSettings } from "./budget-settings.ts";
import { isUnlimited, words } from "./grammar.ts";
import type { Claims, LimitKey } from "./LimitValues.ts";
import type { LimitCommand } from "./TextInput.ts";

/** What a text about a budget can say: an amount, a policy, and a reserve where there is one. */
interface BudgetKeys {
  readonly max: "tokens.max" | "cost.max" | "time.max";
  readonly policy: "tokens.onExhausted" | "cost.onExhausted" | "time.onExhausted";
  readonly reserve?: "tokens.reserve" | "cost.reserve";
}

/** What is particular about a budget's text; the rest follows from the table of settings. */
interface BudgetText extends Pick<LimitCommand, "command" | "flag" | "env" | "allowed" | "suggestions"> {
  readonly keys: BudgetKeys;
  /** Reads an amount, such as `200k`. */
  amount(text: string): number | undefined;
}

/** Makes the text input of a budget. */
export function budgetInput({ keys, amount, ...input }: BudgetText): LimitCommand {
  return {
    ...input,
    key: keys.max,
    name: budgetSettings[keys.max].name,
    unsaid: unsaid(keys),
    parse: (text) => parseBudget(text, keys, amount),
    format: (values) => joined(said(values, keys)),
    describe: (values, sourceOf) => describe(said(values, keys), sourceOf),
  };
}

function unsaid({ policy, reserve }: BudgetKeys): Claims {
  const claims: Claims = {};
  claims[policy] = "ask";
  if (reserve) claims[reserve] = 0;
  return claims;
}

/** Reads `200k`, `200k stop`, `200k stop reserve 10k` or `unlimited`. */
function parseBudget(text: string, keys: BudgetKeys, amount: BudgetText["amount"]): Claims | undefined {
  const [first = "", ...rest] = words(text);
  const max = isUnlimited(first) ? "unlimited" : amount(first);
  if (max === undefined || (max === "unlimited" && rest.length > 0)) return undefined;
  const claims: Claims = {};
  claims[keys.max] = max;

  const policy = budgetSettings[keys.policy].of(rest[0]);
  if (policy !== undefined) {
    claims[keys.policy] = policy;
    rest.shift();
  }
  if (rest.length === 0) return claims;

  const [word, held = "", ...more] = rest;
  const reserve = amount(held);
  if (word !== "reserve" || !keys.reserve || reserve === undefined || more.length > 0) return undefined;
  claims[keys.reserve] = reserve;
  return claims;
}

/** A word or two, and what they are about. */
type Phrase = readonly [key: LimitKey, text: string];

/** What is there and not the default, in the words that would say it. */
function said(values: Claims, keys: BudgetKeys): Phrase[] {
  const { [keys.max]: max = "unlimited", [keys.policy]: policy = "ask" } = values;
  const phrases: Phrase[] = [[keys.max, budgetSettings[keys.max].format(max)]];
  if (max === "unlimited") return phrases;
  if (policy !== "ask") phrases.push([keys.policy, policy]);
  const reserve = keys.reserve && values[keys.reserve];
  if (keys.reserve && reserve) {
    phrases.push([keys.reserve, `reserve ${budgetSettings[keys.reserve].format(reserve)}`]);
  }
  return phrases;
}

function joined(phrases: readonly Phrase[]): string {
  return phrases.map(([, text]) => text).join(" ");
}

function describe(phrases: readonly Phrase[], sourceOf: (key: LimitKey) => string): string {
  const [source, ...others] = new Set(phrases.map(([key]) => sourceOf(key)));
  if (others.length === 0) return `${joined(phrases)} (${source})`;
  return phrases.map(([key, text]) => `${text} (${sourceOf(key)})`).join(", ");
}
