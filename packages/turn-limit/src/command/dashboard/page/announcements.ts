import { useEffect, useRef, useState } from "preact/hooks";
import { type BoardState, keyOf, openQuestions } from "./board-state.ts";
import { html } from "./html.ts";

/** Tells a screen reader which questions are new, and what became of those that were open. Nothing of it is seen. */
export function Announcements({ pools, closed }: BoardState) {
  const [text, setText] = useState("");
  const known = useRef<ReadonlySet<string>>(new Set());
  const questions = openQuestions(pools);
  const keys = questions.map(keyOf);
  useEffect(() => {
    const asked = questions
      .filter((each) => !known.current.has(keyOf(each)))
      .map(({ question }) => `${question.who} asks: ${question.text}`);
    const answered = closed
      .filter((each) => known.current.has(keyOf(each)))
      .map(({ question, said }) => `${question.who}: ${said}`);
    known.current = new Set(keys);
    if (asked.length + answered.length > 0) setText([...answered, ...asked].join(" "));
  }, [keys.join()]);
  return html`<p class="unseen" role="status">${text}</p>`;
}
