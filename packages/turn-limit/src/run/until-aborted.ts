/** The result, or what stands for it if the signal is aborted before it comes. */
export async function untilAborted<Result, Instead>(
  signal: AbortSignal,
  result: PromiseLike<Result> | Result,
  instead: () => Instead,
): Promise<Result | Instead> {
  let abort = () => {};
  const aborted = new Promise<void>((resolve) => {
    abort = resolve;
  });
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([result, aborted.then(instead)]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
