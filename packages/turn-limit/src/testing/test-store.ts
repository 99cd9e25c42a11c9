import type { Store } from "../pools/ledger/store.ts";
import { testChanges } from "./store-contract/changes.ts";
import { testCounted } from "./store-contract/counted.ts";
import { testGrants } from "./store-contract/grants.ts";
import { testLeases } from "./store-contract/leases.ts";
import { testMeasured } from "./store-contract/measured.ts";
import { testNumbered } from "./store-contract/numbered.ts";
import { testPastRuns } from "./store-contract/past-runs.ts";
import { testPeriods } from "./store-contract/periods.ts";
import { testQuestions } from "./store-contract/questions.ts";
import { testReadings } from "./store-contract/readings.ts";
import { testRecords } from "./store-contract/records.ts";
import { testRuns } from "./store-contract/runs.ts";
import { openScene, type Scene } from "./store-contract/scene.ts";
import type { StoreContract } from "./store-contract/store-contract.ts";
import type { TestFunction, TestRunner } from "./test-runner.ts";

/** A store to test. */
export interface StoreUnderTest {
  name: string;
  /** Opens the store. It may hold records of other tests: every test uses pools of its own. */
  open: (options: { now?: () => number }) => Store | Promise<Store>;
  /** Can it be given a clock? `false` leaves out the tests that let time pass. */
  clock?: boolean;
}

/**
 * Tests that a store keeps the contract that every store keeps.
 *
 * @example
 * import { describe, test } from "node:test";
 * import { testStore } from "turn-limit/testing";
 * import { myStore } from "./my-store.js";
 *
 * testStore({ name: "my store", open: ({ now }) => myStore({ now }) }, { describe, test });
 */
export function testStore(subject: StoreUnderTest, { describe, test }: TestRunner): void {
  const { name, open, clock = true } = subject;

  const inScene =
    (define: TestFunction, withClock: boolean): StoreContract["test"] =>
    (sentence, play) =>
      define(sentence, () => played(play, withClock));

  async function played(play: (scene: Scene) => Promise<void>, withClock: boolean): Promise<void> {
    const scene = await openScene(open, withClock);
    try {
      await play(scene);
    } finally {
      await scene.store.close();
    }
  }

  describe(name, () => {
    const contract: StoreContract = {
      test: inScene(test, clock),
      timed: inScene(clock ? test : test.skip, clock),
    };
    testCounted(contract);
    testMeasured(contract);
    testNumbered(contract);
    testLeases(contract);
    testPeriods(contract);
    testChanges(contract);
    testQuestions(contract);
    testReadings(contract);
    testRecords(contract);
    testRuns(contract);
    testGrants(contract);
    testPastRuns(contract);
  });
}
