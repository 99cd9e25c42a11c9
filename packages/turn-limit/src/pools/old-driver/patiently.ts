/** A store that has not answered by then does not answer. */
const PATIENCE = 15_000;

/** What a store answers. Rejects if it does not: a store that hangs must not hang the run. */
export function patiently<T>(answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("It does not answer.")), PATIENCE);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
