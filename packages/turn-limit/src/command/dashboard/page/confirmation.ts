import type { VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { html } from "./html.ts";

interface Wanted {
  readonly text: VNode;
  /** What the button says that does it. */
  readonly yes: string;
  settle(isConfirmed: boolean): void;
}

let show: (wanted: Wanted) => void = ({ settle }) => settle(false);

/** Does the person confirm this? `yes` is what the button says that does it. */
export function confirmed(text: unknown, yes: string): Promise<boolean> {
  return new Promise((settle) => show({ text: text as VNode, yes, settle }));
}

/** Where {@link confirmed} asks: it stands once on the page. The browser gives the focus back to where it was. */
export function Confirmation() {
  const [wanted, setWanted] = useState<Wanted>();
  const dialog = useRef<HTMLDialogElement>(null);
  show = (next) => {
    wanted?.settle(false);
    setWanted(next);
  };
  useEffect(() => {
    if (wanted && !dialog.current?.open) dialog.current?.showModal();
  }, [wanted]);
  const close = (isConfirmed: boolean) => {
    dialog.current?.close();
    wanted?.settle(isConfirmed);
    setWanted(undefined);
  };
  return html`<dialog ref=${dialog} aria-labelledby="confirmation" onCancel=${() => close(false)}>
    <p id="confirmation">${wanted?.text}</p>
    <div class="replies">
      <button class="first" onClick=${() => close(true)}>${wanted?.yes}</button>
      <button onClick=${() => close(false)}>Cancel</button>
    </div>
  </dialog>`;
}
