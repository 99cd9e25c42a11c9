/** Defines a test. */
export type TestFunction = (name: string, run: () => void | Promise<void>) => unknown;

/** What defines tests: vitest, jest and `node:test` all have these two. */
export interface TestRunner {
  /** Groups tests. */
  describe: (name: string, define: () => void) => unknown;
  /** Defines a test; `skip` one that is not run. */
  test: TestFunction & { skip: TestFunction };
}
