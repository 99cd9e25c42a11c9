import { countOf } from "../core/text/number-text.ts";
import type { ProgressWatch } from "../run/progress.ts";
import { gitTree } from "./git-tree.ts";
import { type Tree, TreeHistory } from "./tree.ts";
import { walkedTree } from "./walked-tree.ts";

/** How long a turn waits for a look at the files, in milliseconds: the first of a run, and the others. */
const FIRST_LOOK = 10_000;
const LOOK = 5_000;

/** What is known of the files in one run. */
interface Known {
  readonly run: string;
  readonly history: TreeHistory;
  tree: Tree | undefined;
  turns: number;
  /** Why they are not looked at any more. */
  failed?: unknown;
}

/** What {@link changedFiles} can be given. */
export interface ChangedFilesOptions {
  /** Where the agent works. Default: the working directory. */
  readonly folder?: string | undefined;
}

/**
 * Progress is that files have contents which they never had before in the run: changing them back and forth is none, and
 * neither is deleting them. In a git repository these are its files, and new ones that are not ignored; else those of the
 * folder, 10,000 at most, without `node_modules` and names that begin with a dot. Nothing is changed by looking.
 *
 * @example
 * limitLoop({ turns: { max: 25, extend: 3 }, progress: changedFiles() });
 */
export function changedFiles({ folder = process.cwd() }: ChangedFilesOptions = {}): ProgressWatch {
  let known: Known | undefined;
  return {
    async turnComes({ id }, signal, turns) {
      if (known?.run !== id) known = { run: id, history: new TreeHistory(), tree: undefined, turns };
      const of = known;
      if (of.failed !== undefined) return;
      try {
        const isFirst = of.tree === undefined;
        const contents = await within(isFirst ? FIRST_LOOK : LOOK, signal, async (inTime) => {
          of.tree ??= (await gitTree(folder, inTime)) ?? walkedTree(folder);
          return of.tree.look(inTime);
        });
        of.turns = turns;
        of.history.add(contents, turns);
      } catch (error) {
        // One that nobody waits for any more says nothing of the files.
        if (signal.aborted) return;
        of.failed = error;
        throw error;
      }
    },
    find({ id }, { turns }) {
      if (known?.run !== id || known.failed !== undefined) return false;
      // What was there before the first turn of the round was done before it.
      const changed = known.history.changedAfter(known.turns - turns);
      return changed > 0 && `${countOf(changed, "file")} changed`;
    },
  };
}

async function within<Found>(
  ms: number,
  signal: AbortSignal,
  find: (inTime: AbortSignal) => Promise<Found>,
): Promise<Found> {
  const late = AbortSignal.timeout(ms);
  try {
    return await find(AbortSignal.any([signal, late]));
  } catch (error) {
    if (!late.aborted || signal.aborted) throw error;
    throw new Error(`it took longer than ${ms / 1_000} seconds to look at the files`);
  }
}
