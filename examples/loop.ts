/** A hand-written agent loop with limits. The model is scripted and never ends by itself. */
import { limitLoop } from "turn-limit/loop";

const model = async (_conversation: string[], tools: string[]) =>
  tools.length > 0 ? { text: "", calls: ["search"] } : { text: "Here is what I found so far.", calls: [] };

const limits = limitLoop({ turns: 25, steps: { max: 3, onExhausted: "synthesize" } });
const conversation = ["Find everything."];

limits.begin();
for (let turn = await limits.nextTurn(); turn; turn = await limits.nextTurn()) {
  const answer = await model([...conversation, ...turn.messages], turn.tools ? ["search"] : []);
  limits.turnEnded({ usage: { input: 100, output: 20 } });
  conversation.push(answer.text);
  if (answer.calls.length === 0) break;
  for (const call of answer.calls) conversation.push((await limits.refusal()) ?? `${call}: a result`);
}

console.log("answer:", conversation.at(-1));
console.log("outcome:", limits.end()?.kind);
