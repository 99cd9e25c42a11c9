import type { Dialog, DialogAnswer, RpcPi } from "@turn-limit/rig";

/** Chooses an entry of a menu, or gives a text. */
export const choose = (value: string): DialogAnswer => ({ value });

/** Gives these answers to what is asked, in order, and remembers what that was. */
export function answering(pi: RpcPi, ...answers: DialogAnswer[]): Dialog[] {
  const asked: Dialog[] = [];
  pi.onDialog((dialog) => {
    asked.push(dialog);
    return answers.shift();
  });
  return asked;
}
