import { useEffect, useRef, useState } from "preact/hooks";
import type { SeenGrant, SeenPool } from "../news.ts";
import { Announcements } from "./announcements.ts";
import { after, type BoardState, keyOf, NOTHING, openQuestions } from "./board-state.ts";
import { Card } from "./card.ts";
import { Chart, ratesText, together } from "./chart.ts";
import { type Act, act, listen } from "./connection.ts";
import { html, textIn } from "./html.ts";
import { ClosedQuestion, Question } from "./question.ts";
import { Span, serverNow, setServerTime } from "./times.ts";

/** How many runs are drawn at first. A button shows the others. */
const AT_ONCE = 60;

/** How long a confirmation of what was done stays, in milliseconds. */
const SAID_FOR = 8_000;

/** Everything: open questions on top, then runs, pools, and what was decided. */
export function Board({ onRevoked }: { onRevoked: () => void }) {
  const [state, setState] = useState<BoardState>(NOTHING);
  const { pools, grants, closed } = state;
  /** Since when there is no connection; `undefined`: there is one. */
  const [lost, setLost] = useState<number>();
  const [isLoaded, setLoaded] = useState(false);
  const [problem, setProblem] = useState<string>();
  const [said, setSaid] = useState<{ said: string; isDone: boolean }>();
  useEffect(() => {
    void listen(
      (news) => {
        if (news.kind === "revoked") return onRevoked();
        setProblem(news.kind === "problem" ? news.message : undefined);
        if (news.kind === "all") setServerTime(news.now);
        if (news.kind !== "problem") setState((before) => after(before, news));
        if (news.kind === "all") setLoaded(true);
      },
      (isConnected) => setLost((since) => (isConnected ? undefined : (since ?? serverNow()))),
    );
  }, []);
  const questions = openQuestions(pools);
  useEffect(() => {
    document.title = questions.length > 0 ? `(${questions.length}) turn-limit` : "turn-limit";
  }, [questions.length]);

  useEffect(() => {
    const over = setTimeout(() => setSaid(undefined), SAID_FOR);
    return () => clearTimeout(over);
  }, [said]);
  const open = useRef<HTMLElement>(null);
  // Whoever uses the keyboard goes on where the question was.
  const focusOpen = () => setTimeout(() => open.current?.focus());

  const doIt: Act = async (action, pool, words) => {
    const done = await act(action, pool, words);
    setSaid(done);
    return done.isDone;
  };
  const all = [...pools.values()].sort((one, other) => (one.record < other.record ? -1 : 1));
  const runs = all
    .filter(({ run }) => run)
    .sort((one, other) => (other.run?.began ?? 0) - (one.run?.began ?? 0));
  const shared = all.filter(({ run }) => !run);
  const rates = together(runs.length > 0 ? runs : shared);
  const isLive = isLoaded && lost === undefined;
  return html`
    <header>
      <h1><img src="/icon.svg" alt="" />turn-limit</h1>
      <p class=${isLive ? "live" : "quiet"} role="status">${isLive ? "live" : "connecting…"}</p>
      <p class="total">${ratesText(rates)}</p>
    </header>
    <main>
      ${problem && html`<p class="bad" role="alert">${problem}</p>`}
      ${isLoaded && lost !== undefined && html`<p class="bad">There is no connection. This is how it was <${Span} from=${lost} /> ago.</p>`}
      <${Announcements} ...${state} />
      <section ref=${open} tabindex="-1" aria-label="Open questions">
        ${questions.length > 0 && html`<h2>Open questions</h2>`}
        <ul class="cards">
          ${questions.map(
            (asked) =>
              html`<li key=${keyOf(asked)} class="card question"><${Question} ...${asked} act=${doIt} onLeft=${focusOpen} /></li>`,
          )}
          ${closed.map(
            (each) =>
              html`<li key=${`closed ${keyOf(each)}`} class="card closed"><${ClosedQuestion} ...${each} /></li>`,
          )}
        </ul>
      </section>
      ${runs.length > 0 && html`<${Chart} rates=${rates} label="All runs. " />`}
      ${isLoaded && all.length === 0 && html`<${Empty} />`}
      ${runs.length > 0 && html`<${Cards} title="Runs" all=${runs} act=${doIt} />`}
      ${shared.length > 0 && html`<${Cards} title="Pools" all=${shared} act=${doIt} />`}
      ${grants.length > 0 && html`<${Decisions} grants=${grants} />`}
      <p class=${`said ${said?.isDone === false ? "bad" : ""}`} role="status">${said?.said}</p>
    </main>`;
}

function Empty() {
  return html`<div class="empty">
    <img src="/icon.svg" alt="" />
    <h2>Nothing runs yet</h2>
    <p>A run of Pi appears here by itself. So does any other agent that is started with limits:</p>
    <p><code>npx turn-limit run --max-turns 25 claude</code></p>
  </div>`;
}

function Cards({ title, all, act }: { title: string; all: SeenPool[]; act: Act }) {
  const [most, setMost] = useState(AT_ONCE);
  const [wanted, setWanted] = useState("");
  const word = wanted.toLowerCase();
  const found = all.filter(({ name, run }) =>
    [name, ...(run?.about ?? [])].join(" ").toLowerCase().includes(word),
  );
  const hidden = found.length - most;
  return html`<section aria-label=${title}>
    <div class="heading">
      <h2>${title} <span class="quiet">${all.length}</span></h2>
      ${
        all.length > 6 &&
        html`<input type="search" aria-label=${`Find in ${title}`} placeholder="Find" value=${wanted}
          onInput=${(event: Event) => setWanted(textIn(event))} />`
      }
    </div>
    ${found.length === 0 && html`<p class="quiet">None of them is called so.</p>`}
    <ul class="cards">
      ${found.slice(0, most).map((pool) => html`<li key=${pool.record} class="card"><${Card} pool=${pool} act=${act} /></li>`)}
    </ul>
    ${hidden > 0 && html`<button class="more" onClick=${() => setMost(most + AT_ONCE)}>Show ${Math.min(hidden, AT_ONCE)} more of ${hidden}</button>`}
  </section>`;
}

function Decisions({ grants }: { grants: readonly SeenGrant[] }) {
  return html`<section aria-label="Decisions">
    <details>
      <summary><h2>Decisions <span class="quiet">${grants.length}</span></h2></summary>
      <ol class="decisions">
        ${grants.map(
          ({ id, at, to, text }) =>
            html`<li key=${id}><strong><bdi>${to}</bdi></strong> <bdi>${text}</bdi> <span class="quiet"><${Span} from=${at} /> ago</span></li>`,
        )}
      </ol>
    </details>
  </section>`;
}
