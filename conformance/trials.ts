import type { Trial } from "./contender.ts";

/** The situations, each with the same model for every contender. */
export const trials: readonly Trial[] = [
  { name: "limit 5, a model that never ends", turns: 5, model: () => ({ calls: 1 }) },
  {
    name: "finishing exactly at the limit of 5",
    turns: 5,
    model: ({ index }) => (index >= 5 ? { text: "done" } : { calls: 1 }),
  },
  { name: "8 parallel calls a turn, a tool limit of 20", steps: 20, model: () => ({ calls: 8 }) },
  {
    name: "limit 3, the provider fails twice in the middle",
    turns: 3,
    model: ({ index }) => (index === 2 || index === 3 ? { fails: true } : { calls: 1 }),
  },
  {
    name: "limit 3, a second prompt on the same thread, 3 turns each",
    turns: 3,
    prompts: 2,
    model: ({ index }) => (index % 3 === 0 ? { text: "done" } : { calls: 1 }),
  },
  {
    name: "limit 3 is hit, and a second prompt follows on the same thread",
    turns: 3,
    prompts: 2,
    model: () => ({ calls: 1 }),
  },
  {
    name: "limit 3 is hit, and an answer is expected",
    turns: 3,
    wantsAnswer: true,
    model: ({ tools }) => (tools.length === 0 ? { text: "what I found" } : { calls: 1 }),
  },
  {
    name: "limit 3, each tool call runs a sub-agent of 2 requests",
    turns: 3,
    subAgents: true,
    model: () => ({ calls: 1 }),
  },
  {
    name: "sub-agents in child processes: limit 3, each tool call runs one of 2 requests",
    turns: 3,
    processes: "sub-agents",
    model: () => ({ calls: 1 }),
  },
  {
    name: "a budget per day: limit 3, a prompt in each of two processes",
    turns: 3,
    processes: "days",
    model: () => ({ calls: 1 }),
  },
  {
    name: "limit 3 per day, work of 5 turns, and the next day comes",
    turns: 3,
    nextDayComes: true,
    model: ({ index }) => (index >= 5 ? { text: "done" } : { calls: 1 }),
  },
  {
    name: "a limit from one's own history: 20 runs took 3 turns each, then a model that never ends",
    earlierTurns: 3,
    model: () => ({ calls: 1 }),
  },
  {
    name: "resuming in another process: limit 2, each tool call waits for a person",
    turns: 2,
    processes: "resumed",
    model: () => ({ calls: 1 }),
  },
];
