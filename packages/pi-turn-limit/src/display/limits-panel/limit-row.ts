/** A limit as the panel shows it. */
export interface LimitRow {
  /** For example `turns` or `tools.bash`. */
  readonly key: string;
  /** For example `Turns` or `bash calls`. */
  readonly label: string;
  /** For example `182k`. */
  readonly used: string;
  /** For example `200k`, or `∞`. */
  readonly max: string;
  /** See `shareOf`. */
  readonly share: number | undefined;
  /** Where it came from, for example `default` or `/turn-limit in this session`. */
  readonly source: string;
  /** What happens at the limit, for example `synthesize`, or nothing. */
  readonly policy: string;
  /** What agents below the session took of it, under the row. */
  readonly agents?: readonly { readonly name: string; readonly used: string }[];
  /** What editing starts with, for example `25 grace 3`. */
  readonly text: string;
  /** What is accepted, in words. */
  readonly allowed: string;
  /** Sets the limit; a text says why it was refused and nothing was changed. Left out if it cannot be edited here. */
  readonly set?: (text: string) => string | undefined;
  /** Saves the limit for other sessions, and says whether and where. Left out if it cannot be saved. */
  readonly save?: () => { readonly isSaved: boolean; readonly text: string };
}
