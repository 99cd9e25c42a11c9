/** Defines a test. */
export type TestFunction = (name: string, run: () => void | Promise<void>) => unknown;

/** What defines tests: vitest, jest and `node:test` all have these two. */
export interface TestRunner {
  describe: (name: string, define: () => void) => unknown;
  test: TestFunction & { skip: TestFunction };
}
