import { useEffect, useRef, useState } from "preact/hooks";
import type { SeenLimit, SeenPool } from "../news.ts";
import { Chart, ratesText } from "./chart.ts";
import { confirmed } from "./confirmation.ts";
import type { Act } from "./connection.ts";
import { html, textIn } from "./html.ts";
import { Span } from "./times.ts";

/** A pool or a run: what it does, what it used, and what can be done to it. */
export function Card({ pool, act }: { pool: SeenPool; act: Act }) {
  const { name, run, frozen, limits, members, rates } = pool;
  const state = stateOf(pool);
  const rate = ratesText(rates);
  const about = run?.about.join(" · ");
  return html`
    <div class="title">
      <h3 dir="auto" title=${name}>${name}</h3>
      <span class=${`state ${state.split(" ")[0]}`}>${state}</span>
    </div>
    ${run && html`<p class="quiet about" dir="auto" title=${about}>${about}</p>`}
    <p class="quiet">
      ${run ? html`began <${Span} from=${run.began} /> ago · ` : html`${pool.agents === 1 ? "1 agent" : `${pool.agents} agents`} · `}
      idle <${Span} from=${pool.since} />
      ${pool.startsOver !== null && html` · starts over in <${Span} to=${pool.startsOver} />`}
      ${rate !== "" && html` · ${rate}`}
    </p>
    ${frozen !== null && html`<p class="held">Frozen: <bdi>${frozen}</bdi></p>`}
    ${run?.stopped && html`<p class="bad">Told to stop: <bdi>${run.stopped}</bdi></p>`}
    ${limits.map((limit) => html`<${Limit} ...${limit} of=${name} />`)}
    <${Chart} rates=${rates} />
    ${
      members.length > 0 &&
      html`<ul class="members">
        ${members.map(({ id, name, used }) => html`<li key=${id}><bdi>${name}</bdi> <span class="quiet">${used.join(" · ")}</span></li>`)}
      </ul>`
    }
    ${run?.state !== "parked" && html`<${Actions} pool=${pool} act=${act} />`}`;
}

function stateOf({ run, frozen, agents, questions }: SeenPool): string {
  if (frozen !== null) return "frozen";
  if (questions.length > 0) return "asking";
  if (run?.stopped) return "stopping";
  if (run) return run.state;
  return agents > 0 ? "in use" : "idle";
}

const NEARLY = 0.8;

function Limit({ measure, used, max, share, of }: SeenLimit & { of: string }) {
  const state = share === null || share < NEARLY ? "" : share < 1 ? "near" : "full";
  return html`<div class="limit">
    <span>${measure}</span>
    <span>${used}${max !== null && html`<span class="quiet"> of ${max}</span>`}</span>
    ${share !== null && html`<progress class=${state} max="1" value=${share} aria-label=${`${measure} of ${of}`} />`}
  </div>`;
}

function Actions({ pool, act }: { pool: SeenPool; act: Act }) {
  const { record, name, run, frozen, limits } = pool;
  const [isExtending, setExtending] = useState(false);
  const [limit, setLimit] = useState<string>();
  const [amount, setAmount] = useState("");
  const field = useRef<HTMLInputElement>(null);
  // On a phone it may be below the screen.
  useEffect(() => {
    if (isExtending) field.current?.focus();
  }, [isExtending]);
  const limited = limits.filter(({ max }) => max !== null);
  const extended = limited.find(({ measure }) => measure === limit) ?? limited[0];
  const shown = html`<bdi>${name}</bdi>`;
  const whom = run ? shown : html`all agents of ${shown}`;
  const extend = async (event: Event) => {
    event.preventDefault();
    const measure = extended?.measure ?? "";
    if (!(await confirmed(html`Allow ${shown} more ${measure}: ${amount}?`, "Extend"))) return;
    if (!(await act("extend", record, [measure, amount]))) return;
    setExtending(false);
    setAmount("");
  };
  const freeze = async () => {
    if (await confirmed(html`Hold ${whom} before the next turn?`, "Freeze")) await act("freeze", record, []);
  };
  const thaw = async () => {
    if (await confirmed(html`Let ${whom} go on?`, "Unfreeze")) await act("unfreeze", record, []);
  };
  const stop = async () => {
    const question = html`Stop ${shown} before its next turn? It cannot be started again from here.`;
    if (await confirmed(question, "Stop")) await act("stop", record, []);
  };
  return html`
    <div class="buttons actions" role="group" aria-label=${`What can be done to ${name}`}>
      ${
        limited.length > 0 &&
        html`<button aria-expanded=${isExtending} onClick=${() => setExtending(!isExtending)}>Extend…</button>`
      }
      ${frozen === null ? html`<button onClick=${freeze}>Freeze</button>` : html`<button onClick=${thaw}>Unfreeze</button>`}
      ${run && !run.stopped && html`<button class="stop" onClick=${stop}>Stop</button>`}
    </div>
    ${
      isExtending &&
      html`<form class="buttons" onSubmit=${extend}>
        <select aria-label=${`What is extended in ${name}`} value=${extended?.measure}
          onChange=${(event: Event) => setLimit(textIn(event))}>
          ${limited.map(({ measure }) => html`<option value=${measure}>${measure}</option>`)}
        </select>
        <input ref=${field} aria-label=${`How much more in ${name}`} placeholder=${extended?.example} required value=${amount}
          onInput=${(event: Event) => setAmount(textIn(event))} />
        <button class="first">Extend</button>
      </form>`
    }`;
}
