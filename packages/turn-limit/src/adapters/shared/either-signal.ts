/** Aborted when one of the two is. Where there is only one, it is that one. */
export function eitherSignal(callers: AbortSignal | undefined, ours: AbortSignal): AbortSignal;
export function eitherSignal(
  callers: AbortSignal | undefined,
  ours: AbortSignal | undefined,
): AbortSignal | undefined;
export function eitherSignal(callers: AbortSignal | undefined, ours: AbortSignal | undefined) {
  return callers && ours ? AbortSignal.any([callers, ours]) : (ours ?? callers);
}
