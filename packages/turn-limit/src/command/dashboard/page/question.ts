import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Asked, Closed } from "./board-state.ts";
import { confirmed } from "./confirmation.ts";
import type { Act } from "./connection.ts";
import { html, textIn } from "./html.ts";
import { Span } from "./times.ts";

/** An open question, and the buttons with which it is answered. `onLeft`: it closed while it had the focus. */
export function Question({ pool, question, act, onLeft }: Asked & { act: Act; onLeft: () => void }) {
  const { id, who, text, asked, until, replies, example } = question;
  const [amount, setAmount] = useState("");
  const [isBusy, setBusy] = useState(false);
  const whole = useRef<HTMLDivElement>(null);
  // Before it is removed: afterwards nothing has the focus.
  useLayoutEffect(
    () => () => {
      if (whole.current?.contains(document.activeElement)) onLeft();
    },
    [],
  );
  const reply = async (word: string) => {
    if (isBusy) return;
    const isUnlimited = word === "unlimited";
    if (isUnlimited && !(await confirmed(html`Let <bdi>${who}</bdi> go on without this limit?`, "Unlimited")))
      return;
    setBusy(true);
    await act("answer", pool.record, [id, word]);
    setBusy(false);
  };
  const submit = (event: Event) => {
    event.preventDefault();
    void reply(amount);
  };
  return html`<div ref=${whole} aria-busy=${isBusy}>
    <h3 dir="auto" title=${who}>${who}</h3>
    <p class="text" dir="auto">${text}</p>
    <p class="quiet">
      ${pool.run === null && html`in <bdi>${pool.name}</bdi> · `}asked <${Span} from=${asked} /> ago
      ${until !== null && html` · <${Span} to=${until} /> left`}
    </p>
    <div class="replies" role="group" aria-label=${`Reply to ${who}`}>
      ${replies.map(
        ({ reply: word, label }, index) =>
          html`<button class=${index === 0 ? "first" : ""} aria-disabled=${isBusy} onClick=${() => reply(word)}>${label}</button>`,
      )}
    </div>
    ${
      example !== null &&
      html`<form class="buttons" onSubmit=${submit}>
        <input aria-label=${`How much more for ${who}`} placeholder=${example} required value=${amount}
          onInput=${(event: Event) => setAmount(textIn(event))} />
        <button aria-disabled=${isBusy}>Allow this much</button>
      </form>`
    }
  </div>`;
}

/** A question that is no longer open: who answered what. */
export function ClosedQuestion({ question, said }: Closed) {
  return html`
    <h3 dir="auto" title=${question.who}>${question.who}</h3>
    <p class="quiet text" dir="auto">${question.text}</p>
    <p dir="auto">${said}</p>`;
}
