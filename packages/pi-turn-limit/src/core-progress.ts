/** By what it is found out whether a run gets somewhere. It is loaded where a limit may be extended for it. */
export { progressByCommand } from "../../turn-limit/src/progress/by-command.ts";
export { changedFiles } from "../../turn-limit/src/progress/changed-files.ts";
