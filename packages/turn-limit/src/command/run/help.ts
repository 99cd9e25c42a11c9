import { PROFILES } from "../../launch/launch.ts";
import { PRICES_HELP } from "../given-prices.ts";
import { limitsHelp, RUN_MEASURES } from "../wanted-limits.ts";
import { LIMIT_EXIT_CODE, PARKED_EXIT_CODE } from "./summary.ts";

/** How the command is written. */
export const FORM = "turn-limit run [OPTIONS] -- COMMAND [ARGS]";

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

/** What `turn-limit run --help` prints. */
export const RUN_HELP = `Usage: ${FORM}

Starts an agent behind a gateway on this machine, and holds it to limits. No file
of the agent's is changed. Example:

  turn-limit run --max-turns 25 --max-cost '$5' -- claude -p "fix the tests"

Limits. Each may be followed by "per day", "per week" or "per month": then all
runs that have such a limit share it. Several with commas: '$5, $20 per day'.
"wait" may follow that, '$20 per day wait': the run waits until the next day, week
or month, and goes on by itself.
'25 extend 3' goes on for another 25 without a question while the run gets
somewhere, 3 times at most; '25 extend 3 by 10' for 10.
p90, or 'p90 up to 50', covers 90 % of what the last runs of this agent took.

${LIMITS}
  --max-repeats N      how often in a row the agent may make the same call with the
                       same result; the model is told, and goes on once more (*)
  --max-plan '5h 80%'  how much of a window of your subscription may be used, as the
                       provider tells it; several with commas; wait may follow
  --pool ID            the limits are those of a pool, shared by all that name it;
                       without limits, those that others gave it
  --store STORE        where pools are: a file, or a redis:// or rediss:// address
                       (default: TURN_LIMIT_STORE, else Pi's)
${PRICES_HELP}

COMMAND may start the agent in any way, by a script, timeout, env, npx or node, and
the agent may start others: all of them count.

Requests, tokens, cost and time hold any agent that can be pointed at a base
address: the usual variables are set, others with

  --route NAME=ADDRESS  set the variable NAME to the gateway's address for the
                        provider at ADDRESS

At a limit such an agent gets status 402 with a message, for everything from then on.

(*) Turns, repeats, questions, wrap-up and a last answer work for agents with a profile:
${TESTED}
Other versions, too, as long as their requests say what they are. If not, every
request counts as a turn, nobody is asked, and a line says why.

  --at-limit WHAT      ask (default), stop, or answer: a last turn without tools.
                       Without a terminal, --ask and --dashboard the default is stop
  --unanswered WHAT    what to do if nobody replies: stop (default), answer, or
                       park: the agent ends, and "turn-limit resume ID" goes on
                       with it later, on what is left and what is allowed then
  --progress COMMAND   a run gets somewhere if COMMAND ends with exit code 0, or prints
                       a number that rises (default: if files have new contents)
  --wrap-up N          tell the model N turns before the end to finish
  --tell [SHARES]      tell the model what it has left, at shares of each limit in
                       percent (default 80,90,95), or in every-turn: one line at the
                       end of the request
  --tell-message TEXT  that line in your words, for one limit: {limit}, {used}, {max},
                       {left}, {share} and {end} in it
  --final-tool NAME    the tool with which the agent answers: the last turn has it
                       alone (Claude Code's --json-schema needs no such option)
  --ask COMMAND        ask by a command: it gets the question as JSON on its
                       standard input, and prints yes, no, unlimited, wrap-up, or
                       how much more, such as 10 or '$2'
  --no-dialog          do not ask in the agent's own dialog
  --hold TIME          how long a question and --progress may hold a request (default:
                       as long as the agent waits for it)
  --profile ID         which agent it is, if COMMAND does not say it; none: hold it
                       as any other program

A person is asked on the terminal if the agent leaves it free (claude -p, codex
exec, opencode run, gemini -p, qwen -p, pi -p), else in the agent's own dialog, and
by "turn-limit pools" in another terminal. Limits hold for the whole run, however many
prompts are typed.

While it works the run is listed in the store: "turn-limit pools" shows it in another
terminal, answers its questions, extends, freezes and stops it.

  --unlisted           do not list it, and do not remember what it took for p90
  --dashboard          serve the page of "turn-limit dashboard" while it works, at
                       port 4747 of this machine, or at another if that is taken

Notifications reach you elsewhere, and a question has buttons there:

  --notify PLACE       ntfy://HOST/TOPIC, ntfy:ADDRESS/TOPIC, webhook:ADDRESS or
                       command:LINE; may be given several times. A token for the
                       server of ntfy is read from TURN_LIMIT_NOTIFY_TOKEN
                       (default: TURN_LIMIT_NOTIFY, else none)
  --notify-on LIST     tell also of budget (80 % of a limit), end, idle=10m

  --json               print the summary as one line of JSON
  --help               print this

One line on standard error says how it ended. The exit code is that of the agent,
or ${LIMIT_EXIT_CODE} if a limit ended the run, or ${PARKED_EXIT_CODE} if it is parked, or 130 if the agent ends
with 0 after Ctrl+C.
2: what was typed is wrong; 126, 127: COMMAND cannot be started, or was not found;
1: it could not be started, or nothing was held, because no request came through the
gateway.

More examples:

  turn-limit run --max-cost '$20 per day' --max-time 2h -- codex exec "…"
  turn-limit run --max-requests 200 --max-tokens 2m -- python my_agent.py
  turn-limit run --pool night --max-cost '$50' -- opencode run "…"
`;
