export const HELP = `Usage: turn-limit pools [ACTION] [--store STORE] [--json]

Shows the pools, which are budgets that agents share: what is used, who draws on
them, and which questions are open. On a terminal the table is live: up and down
choose a question, y and n answer it, q ends.

  (no action)               show all pools
  show ID                   show one pool with all its members
  extend ID LIMIT AMOUNT    allow more: cost '$5', turns 10, requests 50,
                            tokens 2m, time 30m, steps 50, tools.bash 20, or
                            unlimited
  freeze ID [WHY]           let all its agents stop before their next turn
  unfreeze ID               let them go on
  reset ID                  start over with nothing used and nothing added
  answer ID QUESTION REPLY  reply to a question: yes, no, unlimited, wrap-up, or
                            how much more, such as '$2'

ID is the name of a pool. One with a period has a record for each day, week or
month, such as research@2026-11-16; without a date the newest is meant.

  --store STORE  a file, or a redis:// or rediss:// address (default:
                 TURN_LIMIT_STORE, else Pi's: turn-limit.sqlite in
                 PI_CODING_AGENT_DIR, else in ~/.pi/agent)
  --once         print the table once, also on a terminal
  --all          show the records of earlier days, weeks and months too
  --json         print JSON: cost in US dollars, time in milliseconds
  --help         print this
`;
