import { useState } from "preact/hooks";
import { pair } from "./connection.ts";
import { html, textIn } from "./html.ts";

/** Where the code is typed with which this browser is paired. */
export function Pairing({ code: given, onPaired }: { code: string; onPaired: () => void }) {
  const [code, setCode] = useState(given);
  const [name, setName] = useState(deviceName());
  const [problem, setProblem] = useState<string>();
  const submit = async (event: Event) => {
    event.preventDefault();
    const wrong = await pair(code, name);
    setProblem(wrong);
    if (wrong === undefined) onPaired();
  };
  return html`<main class="pair">
    <h1><img src="/icon.svg" alt="" />turn-limit</h1>
    <p>Pair this browser with the code that <code>turn-limit dashboard</code> shows.</p>
    <form onSubmit=${submit}>
      <label>Code
        <input name="code" required autocomplete="off" autocapitalize="characters" value=${code}
          onInput=${(event: Event) => setCode(textIn(event))} /></label>
      <label>Name of this device
        <input name="name" required maxlength="60" value=${name} onInput=${(event: Event) => setName(textIn(event))} /></label>
      <button class="first">Pair</button>
      ${problem && html`<p class="bad" role="alert">${problem}</p>`}
    </form>
  </main>`;
}

function deviceName(): string {
  const system = /iPhone|iPad|Android|Macintosh|Windows|Linux/.exec(navigator.userAgent)?.[0];
  return `a browser${system ? ` on ${system}` : ""}`;
}
