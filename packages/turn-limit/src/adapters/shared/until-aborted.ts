/** The result, or why the signal was aborted before it came. */
export async function untilAborted<Result>(
  signal: AbortSignal,
  result: PromiseLike<Result>,
): Promise<Result | string> {
  let abort = () => {};
  const aborted = new Promise<string>((resolve) => {
    abort = () => resolve(signal.reason instanceof Error ? signal.reason.message : String(signal.reason));
  });
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort);
  try {
    return await Promise.race([result, aborted]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
