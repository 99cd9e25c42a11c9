import { type Performance, perform } from "./performance.ts";
import { limit, partialResult, synthesis } from "./story.ts";

const steps = 3;
const answersPaid = 4;
const tokens = answersPaid * 120;
const grace = 2;
const toldAt = limit - grace + 1;

/** A part of the story: what it shows, line by line, and whether it went as expected. */
interface Part {
  title: string;
  lines: Record<string, string | number | null>;
  asItMust: boolean;
}

/** Tells the story where there is no person to ask. Returns 0 if it went as expected. */
export async function demoInPrint(): Promise<number> {
  const maxTurns = ["--max-turns", `${limit}`];
  const [stopped, salvaged, wrappedUp, spent] = await Promise.all([
    perform(...maxTurns),
    perform(...maxTurns, "--max-steps", `${steps} synthesize`),
    perform(...maxTurns, "--turn-grace", `${grace}`),
    perform(...maxTurns, "--max-tokens", `${tokens}`),
  ]);
  const parts = [turnLimit(stopped), stepLimit(salvaged), wrapUp(wrappedUp), tokenLimit(spent)];
  for (const part of parts) tell(part);

  const asItMust = parts.every((part) => part.asItMust);
  console.log(
    asItMust
      ? "As it must be. On a terminal, `npm start` opens Pi itself and asks you."
      : "That is NOT as it must be.",
  );
  return asItMust ? 0 : 1;
}

function turnLimit({ host, code, said, requests, turns, outcome }: Performance): Part {
  return {
    title: `${host} with the extension, a scripted model that never finishes, and no terminal:`,
    lines: {
      limit: `${limit} turns`,
      "turns taken": turns,
      "requests received": `${requests.length}, counted by the model's server`,
      "Pi said": said,
      "Pi's exit code": code,
      outcome: `${outcome}${outcome === "stopped" ? ", because nobody could be asked" : ""}`,
    },
    asItMust:
      turns === limit &&
      requests.length === limit &&
      outcome === "stopped" &&
      code === 1 &&
      said.includes(`Turn limit reached (${limit}/${limit})`),
  };
}

function stepLimit({ code, answer, requests, callsRun, outcome }: Performance): Part {
  const withoutTools = requests.filter(({ toolNames }) => toolNames.length === 0);
  const last = requests.at(-1);
  return {
    title: "With a step limit that ends in an answer:",
    lines: {
      limit: `${steps} tool calls`,
      "tool calls run": callsRun,
      "requests received": `${requests.length}, ${withoutTools.length} of them without tools`,
      "Pi's answer": answer,
      "Pi's exit code": code,
      outcome,
    },
    asItMust:
      callsRun === steps &&
      requests.length === steps + 2 &&
      withoutTools.length === 1 &&
      withoutTools[0] === last &&
      answer === synthesis &&
      outcome === "salvaged" &&
      code === 0,
  };
}

function wrapUp({ code, answer, requests, turns, outcome }: Performance): Part {
  return {
    title: "With a word to the model, before the end, to wrap up:",
    lines: {
      limit: `${limit} turns, and told ${grace} before the end`,
      "turns taken": turns,
      "requests received": requests.length,
      "Pi's answer": answer,
      "Pi's exit code": code,
      outcome,
    },
    asItMust:
      turns === toldAt &&
      requests.length === toldAt &&
      answer === partialResult &&
      outcome === "wrapped-up" &&
      code === 0,
  };
}

function tokenLimit({ code, said, requests, outcome }: Performance): Part {
  return {
    title: "With a budget of tokens:",
    lines: {
      limit: `${tokens} tokens, which ${answersPaid} answers take`,
      "requests received": requests.length,
      "Pi said": said,
      "Pi's exit code": code,
      outcome,
    },
    asItMust:
      requests.length === answersPaid &&
      outcome === "stopped" &&
      code === 1 &&
      said.includes(`Token limit reached (${tokens}/${tokens})`),
  };
}

function tell({ title, lines }: Part): void {
  console.log(title);
  for (const [name, value] of Object.entries(lines)) console.log(`  ${name.padEnd(18)} ${value}`);
}
