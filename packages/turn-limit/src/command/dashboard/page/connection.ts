import type { News } from "../news.ts";

const SECRET = "turn-limit device";
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 5_000;
/** The server says something every two seconds. */
const SILENCE = 10_000;

export function secret(): string | null {
  return localStorage.getItem(SECRET);
}

export function forget(): void {
  localStorage.removeItem(SECRET);
}

/** Exchanges a code for the secret of this device. What is wrong, if something is. */
export async function pair(code: string, name: string): Promise<string | undefined> {
  const { status, body } = await post("/api/pair", { code, name });
  if (status !== 200) return body.error;
  localStorage.setItem(SECRET, body.secret ?? "");
  return undefined;
}

/** Does something to a pool or a run. `false`: it was not done, and the person was told why. */
export type Act = (action: string, pool: string, words: string[]) => Promise<boolean>;

/** Does something to a pool or a run, and says what was done, or why it was not. */
export async function act(
  action: string,
  pool: string,
  words: string[],
): Promise<{ said: string; isDone: boolean }> {
  const { status, body } = await post("/api/act", { action, pool, words });
  return { said: body.done ?? body.error ?? `The server says ${status}.`, isDone: status === 200 };
}

async function post(
  path: string,
  body: object,
): Promise<{ status: number; body: { error?: string; done?: string; secret?: string } }> {
  try {
    const headers = { "content-type": "application/json", authorization: `Bearer ${secret() ?? ""}` };
    const response = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
    return { status: response.status, body: await response.json() };
  } catch {
    return {
      status: 0,
      body: { error: "The dashboard cannot be reached. Nothing was done, as far as is known." },
    };
  }
}

/** Listens for as long as this device is paired, and connects again whenever the connection drops. */
export async function listen(
  heard: (news: News) => void,
  connected: (isConnected: boolean) => void,
): Promise<void> {
  let pause = FIRST_PAUSE;
  for (;;) {
    const status = await listenOnce(heard, () => {
      pause = FIRST_PAUSE;
      connected(true);
    });
    if (status === 401) return heard({ kind: "revoked" });
    connected(false);
    await Promise.race([new Promise((resolve) => setTimeout(resolve, pause)), untilAwake()]);
    pause = Math.min(LONGEST_PAUSE, pause * 2);
  }
}

// A phone that was in a pocket, or out of reach.
function untilAwake(): Promise<void> {
  return new Promise((resolve) => {
    addEventListener("online", () => resolve(), { once: true });
    addEventListener("visibilitychange", () => resolve(), { once: true });
  });
}

async function listenOnce(heard: (news: News) => void, connected: () => void): Promise<number> {
  const over = new AbortController();
  let silence = setTimeout(() => over.abort(), SILENCE);
  let heardAt = Date.now();
  // While a phone sleeps its timers do, too.
  const look = () => {
    if (!document.hidden && Date.now() - heardAt > SILENCE / 2) over.abort();
  };
  addEventListener("visibilitychange", look);
  try {
    const headers = { authorization: `Bearer ${secret() ?? ""}` };
    const response = await fetch("/api/events", { headers, signal: over.signal });
    if (response.status !== 200 || !response.body) return response.status;
    connected();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return 0;
      clearTimeout(silence);
      silence = setTimeout(() => over.abort(), SILENCE);
      heardAt = Date.now();
      const events = (text + value).split("\n\n");
      text = events.pop() ?? "";
      for (const event of events) {
        const data = event.split("\n").find((each) => each.startsWith("data: "));
        if (data) heard(JSON.parse(data.slice("data: ".length)));
      }
    }
  } catch {
    return 0;
  } finally {
    clearTimeout(silence);
    removeEventListener("visibilitychange", look);
  }
}
