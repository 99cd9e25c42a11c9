import { parseDollars, parseDuration, parseTokens } from "./amounts.ts";
import { budgetInput } from "./budget-input.ts";

const POLICIES = "a policy (ask, stop or synthesize)";

export const tokenLimitInput = budgetInput({
  keys: { max: "tokens.max", policy: "tokens.onExhausted", reserve: "tokens.reserve" },
  command: "token-limit",
  flag: "max-tokens",
  env: "PI_MAX_TOKENS",
  allowed: `a number of tokens such as 200000, 200k or 1.5m, or unlimited; ${POLICIES} and a reserve may follow the number (200k stop reserve 10k)`,
  suggestions: ["100k", "200k", "500k", "1m", "200k synthesize", "200k stop reserve 10k", "unlimited"],
  amount: parseTokens,
});

export const costLimitInput = budgetInput({
  keys: { max: "cost.max", policy: "cost.onExhausted", reserve: "cost.reserve" },
  command: "cost-limit",
  flag: "max-cost",
  env: "PI_MAX_COST",
  allowed: `a number of US dollars such as 5, $5 or $0.50, or unlimited; ${POLICIES} and a reserve may follow the number ($5 stop reserve $0.25)`,
  suggestions: ["$1", "$5", "$10", "$5 synthesize", "$5 stop reserve $0.25", "unlimited"],
  amount: parseDollars,
});

export const timeLimitInput = budgetInput({
  keys: { max: "time.max", policy: "time.onExhausted" },
  command: "time-limit",
  flag: "max-time",
  env: "PI_MAX_TIME",
  allowed: `a time such as 90s, 10m or 1h30m, or unlimited; ${POLICIES} may follow the time (10m stop)`,
  suggestions: ["5m", "10m", "30m", "1h", "10m synthesize", "unlimited"],
  amount: parseDuration,
});
