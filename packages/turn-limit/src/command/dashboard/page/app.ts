import { render } from "preact";
import { useState } from "preact/hooks";
import { Board } from "./board.ts";
import { Confirmation } from "./confirmation.ts";
import { forget, secret } from "./connection.ts";
import { html } from "./html.ts";
import { Pairing } from "./pairing.ts";

// The code stands behind the # of the address, which is not sent. It does not stay in the history either.
const codeInAddress = location.hash.slice(1);
if (codeInAddress) history.replaceState(null, "", location.pathname);

// The link was opened in a tab that shows this page already.
addEventListener("hashchange", () => {
  if (location.hash.length > 1) location.reload();
});

function App() {
  const [isPaired, setPaired] = useState(secret() !== null && codeInAddress === "");
  const unpair = () => {
    forget();
    setPaired(false);
  };
  return isPaired
    ? html`<${Board} onRevoked=${unpair} /><${Confirmation} />`
    : html`<${Pairing} code=${codeInAddress} onPaired=${() => setPaired(true)} />`;
}

render(html`<${App} />`, document.body);
