/** A loop under custom limits, alone and combined. The model is scripted and never ends by itself. */
import { allOf, type CustomLimit, timeLimit, tokenLimit } from "turn-limit";
import { limitLoop } from "turn-limit/loop";

const longAnswers: CustomLimit = {
  name: "output tokens",
  max: 100,
  used: ({ output }) => output,
  onExhausted: "synthesize",
};
const writes: CustomLimit = {
  name: "writes",
  max: 10,
  used: ({ calls }) => (calls.write ?? 0) + (calls.edit ?? 0),
  before: "step",
};
const expensiveAndLong = allOf([tokenLimit(1_000_000), timeLimit(60_000)], { onExhausted: "stop" });

const limits = limitLoop({ limits: [longAnswers, writes, expensiveAndLong] });
const model = async (tools: boolean) =>
  tools ? { text: "", calls: [{ tool: "write" }] } : { text: "Here is what I wrote so far.", calls: [] };

let answer = "";
limits.begin();
for (let turn = await limits.nextTurn(); turn; turn = await limits.nextTurn()) {
  const { text, calls } = await model(turn.tools);
  limits.turnEnded({ usage: { input: 100, output: 20 } });
  answer = text;
  if (calls.length === 0) break;
  for (const call of calls) (await limits.refusal(call)) ?? (await limits.execute(call, () => "written"));
}

console.log("answer:", answer);
const outcome = limits.end();
console.log("outcome:", outcome?.kind);
console.log("by the limit of:", outcome?.limit, "after", outcome?.turns, "turns");
