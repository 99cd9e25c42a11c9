/** The model that gave an answer, as the host names it. */
export interface Model {
  /** For example `claude-sonnet-4-5`. */
  readonly id: string;
  /** For example `anthropic`, if the host says. */
  readonly provider?: string | undefined;
}
