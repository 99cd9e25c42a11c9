import {
  type Answer,
  answersWithoutTools,
  byKind,
  calls,
  fails,
  type ProviderReply,
  type ProviderRequest,
  type ProviderScript,
  says,
  shellCall,
  subAgentCall,
  turnOfConversation,
  withUsage,
} from "@turn-limit/rig";
import type { AgentTrial } from "./agent-contender.ts";

/** The file in the agent's folder to which each shell command adds a line. */
export const TRACES = "commands-run.txt";

/** The final text of the model. */
export const ANSWER = "The answer is 42.";

/** About what a turn costs in the trials about dollars: 10 to 15 cents, as the model is. */
const OUTPUT_TOKENS = 10_000;

/** Another shell command. */
export function work(request: ProviderRequest): Answer {
  return calls(shellCall(request, `echo ${turnOf(request)} >> ${TRACES}`));
}

// Not the same twice: some agents take that for a loop and stop by themselves.
function turnOf(request: ProviderRequest): string {
  return `turn ${turnOfConversation(request)}`;
}

function answersAfter(turns: number): ProviderScript {
  return (request) => (turnOfConversation(request) > turns ? says(ANSWER) : work(request));
}

/** Fails at the second and the third request of the main loop. */
function failsTwice(script: ProviderScript): ProviderScript {
  let asked = 0;
  return (request) => {
    asked++;
    return asked === 2 || asked === 3 ? fails(503) : script(request);
  };
}

/** Answers as soon as tools are forbidden, or the request says that the steps are used up, as opencode puts it. */
function answersWhenTold(script: ProviderScript): ProviderScript {
  const obedient: ProviderScript = (request) =>
    request.messages.some(({ text }) => text.includes("MAXIMUM STEPS REACHED"))
      ? says(ANSWER)
      : script(request);
  return answersWithoutTools(ANSWER, obedient);
}

const workAtAPrice: ProviderScript = (request) =>
  withUsage({ completionTokens: OUTPUT_TOKENS }, work(request));

/** Answers as soon as something in the request says that one turn is left, or that most of the money is spent. */
function heeds(script: ProviderScript): ProviderScript {
  return (request) => {
    const text = request.messages.map((message) => message.text).join("\n");
    const spent = [...text.matchAll(/\$(\d+\.\d+)\/\$(\d+\.\d+|\d+)/g)].at(-1);
    const isMostSpent = spent !== undefined && Number(spent[1]) / Number(spent[2]) >= 0.6;
    return isMostSpent || /\b1 left\b|MAXIMUM STEPS REACHED/.test(text) ? says(ANSWER) : script(request);
  };
}

/** Gives the answer in its form as soon as it can do nothing else. */
function answersInItsForm(script: ProviderScript): ProviderScript {
  return (request) => {
    const form = { answer: ANSWER };
    if (request.toolsForbidden) return says(JSON.stringify(form));
    const choice = request.body.tool_choice as { name?: string; function?: { name?: string } } | undefined;
    const forced = choice?.name ?? choice?.function?.name;
    const only = forced ?? (request.toolNames.length === 1 ? request.toolNames[0] : undefined);
    return only === undefined ? script(request) : calls({ name: only, arguments: form });
  };
}

/** Makes the same command's result come again and again. */
function polls(command: (request: ProviderRequest) => string): ProviderScript {
  return (request): ProviderReply =>
    calls(shellCall(request, `${command(request)}; echo . >> ${TRACES}; echo compiling`));
}

/** One command, then whatever the agent takes for the end of a sub-agent. */
const help: ProviderScript = (request) =>
  turnOfConversation(request) === 1 ? work(request) : byKind({})(request);

/** Hands the work of the turn to a new sub-agent. */
const handOver: ProviderScript = (request) => {
  const call = subAgentCall(request, `Help with ${turnOf(request)}.`);
  // Codex wants a name for each that it has not had before.
  const named = "task_name" in call.arguments ? { task_name: `helper_${turnOfConversation(request)}` } : {};
  return calls({ ...call, arguments: { ...call.arguments, ...named } });
};

/** The situations, each with the same model for every agent. */
export const agentTrials: readonly AgentTrial[] = [
  { name: "limit 5, a model that never ends", turns: 5, script: () => byKind({ main: work }) },
  {
    name: "finishing exactly at the limit of 5",
    turns: 5,
    script: () => byKind({ main: answersAfter(4) }),
  },
  {
    name: "limit 3, the provider fails twice in the middle",
    turns: 3,
    script: () => byKind({ main: failsTwice(work) }),
  },
  {
    name: "limit 3 is hit, and an answer is expected",
    turns: 3,
    wantsAnswer: true,
    // What has no tools at all may also be taken for an aside.
    script: () => byKind({ main: answersWhenTold(work), aside: () => says(ANSWER) }),
  },
  {
    name: "limit 3, each turn runs a sub-agent of 2 requests",
    turns: 3,
    subAgents: true,
    script: () =>
      byKind({
        main: handOver,
        "sub-agent": help,
      }),
  },
  {
    name: "a budget of $0.50, a model that never ends, 10 to 15 cents a turn",
    dollars: 0.5,
    script: () => byKind({ main: workAtAPrice }),
  },
  {
    name: "limit 5, a model that finishes when it reads that one turn is left",
    turns: 5,
    tellsAt: 80,
    script: () => byKind({ main: heeds(work) }),
  },
  {
    name: "a budget of $0.50, a model that finishes when it reads that 60 % of it are spent",
    dollars: 0.5,
    tellsAt: 60,
    script: () => byKind({ main: heeds(workAtAPrice) }),
  },
  {
    name: "limit 3, work of 8 turns, of which each changes a file",
    turns: 3,
    extends: 3,
    script: () => byKind({ main: answersAfter(7) }),
  },
  {
    name: "limit 3 is hit, and an answer is expected in a form",
    turns: 3,
    wantsForm: true,
    script: () => byKind({ main: answersInItsForm(work) }),
  },
  {
    name: "a loop: the same call with the same result",
    repeats: 3,
    script: () => byKind({ main: polls(() => "true") }),
  },
  {
    name: "a loop: a call that waits longer each time, with the same result",
    repeats: 3,
    script: () => byKind({ main: polls((request) => `sleep 0.0${request.index}`) }),
  },
  {
    name: "80 % of a window of the subscription, of which each turn takes 20 %, a model that never ends",
    plan: 80,
    script: () => byKind({ main: work }),
  },
  {
    name: "limit 3 per day, work of 5 turns, and the next day comes",
    turns: 3,
    nextDayComes: true,
    script: () => byKind({ main: answersAfter(4) }),
  },
  {
    name: "a limit from one's own history: 20 runs took 3 turns each, then a model that never ends",
    earlierTurns: 3,
    script: () => byKind({ main: work }),
  },
];
