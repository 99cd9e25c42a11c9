import { PROFILES } from "../../launch/launch.ts";
import { limitsHelp, RUN_MEASURES } from "../wanted-limits.ts";
import { LIMIT_EXIT_CODE } from "./summary.ts";

const TESTED = PROFILES.map(
  ({ name, id, tested }) => `    ${name} ${tested.join(", ")} (--profile ${id})`,
).join("\n");

const LIMITS = limitsHelp(RUN_MEASURES, {
  requests: ["N", "every request, also of sub-agents, titles and compactions"],
  tokens: ["2m", "tokens in and out, without those read from or", "written to a cache"],
  cost: ["'$5'", "US dollars, at list prices"],
  time: ["2h", "time at work; it acts on requests only: a program that sends", "none is not ended"],
  turns: ["N", "turns: a retry, a title or a compaction is none (*)"],
});

export const RUN_HELP = `Usage: turn-limit run [OPTIONS] -- COMMAND [ARGS]

Starts an agent behind a gateway on this machine, and holds it to limits. No file
of the agent's is changed. Example:

  turn-limit run --max-turns 25 --max-cost '$5' -- claude -p "fix the tests"

Limits. Each may be followed by "per day", "per week" or "per month": then all
runs that have such a limit share it. Several with commas: '$5, $20 per day'.

${LIMITS}
  --pool ID            the limits are those of a pool, shared by all that name it;
                       without limits, those that others gave it
  --store STORE        where pools are: a file, or a redis:// or rediss:// address
                       (default: TURN_LIMIT_STORE, else Pi's)
  --unpriced WHAT      for a model without a price: warn (default), stop, or
                       tokens: the token limit holds alone

Requests, tokens, cost and time hold any agent that can be pointed at a base
address: the usual variables are set, others with

  --route NAME=ADDRESS  set the variable NAME to the gateway's address for the
                        provider at ADDRESS

At a limit such an agent gets status 402 with a message, for everything from then on.

(*) Turns, questions, wrap-up and a last answer work for agents with a profile:
${TESTED}
In another version of these every request counts as a turn, and nobody is asked,
unless --profile says which agent it is.

  --at-limit WHAT      ask (default), stop, or answer: a last turn without tools
  --nobody WHAT        what to do if nobody replies: stop (default), or answer
  --wrap-up N          tell the model N turns before the end to finish
  --ask COMMAND        ask by a command: it gets the question as JSON on its
                       standard input, and prints yes, no, unlimited, wrap-up, or
                       how much more, such as 10 or '$2'
  --hold TIME          how long a question may hold a request (default: as long as
                       the agent waits for it)
  --profile ID         which agent it is, if COMMAND does not say it, also for other
                       versions; none: hold it as any other program

A person is asked on the terminal if the agent leaves it free (claude -p, codex
exec, opencode run), else by "turn-limit pools" in another one. Each prompt typed
into Codex starts its limits over; those of Claude Code and opencode hold for the run.

  --json               print the summary as one line of JSON
  --help               print this

One line on standard error says how it ended. The exit code is that of the agent,
or ${LIMIT_EXIT_CODE} if a limit ended the run, or 130 if the agent ends with 0 after Ctrl+C.
2: what was typed is wrong; 126, 127: COMMAND cannot be started, or was not found;
1: something else, before the agent was started.

More examples:

  turn-limit run --max-cost '$20 per day' --max-time 2h -- codex exec "…"
  turn-limit run --max-requests 200 --max-tokens 2m -- python my_agent.py
  turn-limit run --pool night --max-cost '$50' -- opencode run "…"
`;
