import { expect, test } from "vitest";
import { windowsIn } from "./plan-headers.ts";

const RESET = 1_795_000_000;

test("Anthropic tells shares of 1, and resets in seconds", () => {
  const unified = (window: string, used: string, status: string) => ({
    [`anthropic-ratelimit-unified-${window}-utilization`]: used,
    [`anthropic-ratelimit-unified-${window}-reset`]: `${RESET}`,
    [`anthropic-ratelimit-unified-${window}-status`]: status,
  });
  const headers = { ...unified("5h", "0.82", "allowed_warning"), ...unified("7d", "0.41", "rejected") };
  expect(windowsIn(headers)).toEqual([
    { subscription: "anthropic", window: "5h", used: 82, resets: RESET * 1_000 },
    { subscription: "anthropic", window: "7d", used: 100, resets: RESET * 1_000 },
  ]);
});

test("Codex tells per cent, minutes, and resets in seconds", () => {
  const window = (which: string, used: string, minutes: string) => ({
    [`x-codex-${which}-used-percent`]: used,
    [`x-codex-${which}-window-minutes`]: minutes,
    [`x-codex-${which}-reset-at`]: `${RESET}`,
  });
  expect(windowsIn({ ...window("primary", "82.5", "299"), ...window("secondary", "3", "10080") })).toEqual([
    { subscription: "openai", window: "5h", used: 82.5, resets: RESET * 1_000 },
    { subscription: "openai", window: "7d", used: 3, resets: RESET * 1_000 },
  ]);
});

test.each<Record<string, string>>([
  {},
  { "anthropic-ratelimit-unified-5h-utilization": "0.5" },
  { "anthropic-ratelimit-unified-5h-utilization": "half", "anthropic-ratelimit-unified-5h-reset": "1" },
  { "x-codex-primary-used-percent": "5", "x-codex-primary-reset-at": "1" },
  ...[RESET * 1_000, 99_999_999_999_999, 1e306].map((reset) => ({
    "anthropic-ratelimit-unified-5h-utilization": "0.85",
    "anthropic-ratelimit-unified-5h-reset": `${reset}`,
  })),
])("headers that are missing, no numbers, or no time that there will be tell nothing: %j", (headers) => {
  expect(windowsIn(headers)).toEqual([]);
});
