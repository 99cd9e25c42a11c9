/**
 * What a run got done, for limits that may be extended: by the files that changed, or by a command.
 *
 * @module
 */
export { type ProgressByCommandOptions, progressByCommand } from "./by-command.ts";
export { type ChangedFilesOptions, changedFiles } from "./changed-files.ts";
