/** Two agents at once on one budget. Their model is scripted, and never ends by itself while it has tools. */
import { createPool } from "turn-limit";
import { limitLoop } from "turn-limit/loop";

const pool = createPool({ id: "research", turns: { max: 6, headless: "synthesize" } });

const model = async (tools: string[]) =>
  tools.length > 0 ? { text: "", calls: ["search"] } : { text: "Here is what I found so far.", calls: [] };

async function research(): Promise<{ answer: string; outcome: string | undefined }> {
  const limits = limitLoop({ turns: 25, pool });
  let answer = "";
  limits.begin();
  for (let turn = await limits.nextTurn(); turn; turn = await limits.nextTurn()) {
    const { text, calls } = await model(turn.tools ? ["search"] : []);
    limits.turnEnded({ usage: { input: 100, output: 20 } });
    answer = text;
    if (calls.length === 0) break;
  }
  const outcome = limits.end()?.kind;
  await limits.poolsSettled();
  return { answer, outcome };
}

for (const { answer, outcome } of await Promise.all([research(), research()])) {
  console.log("answer:", answer);
  console.log("outcome:", outcome);
}
const { limits } = await pool.read();
for (const { limit, used, max } of limits) console.log(`${limit}: ${used} of ${max}, with the last answers`);
