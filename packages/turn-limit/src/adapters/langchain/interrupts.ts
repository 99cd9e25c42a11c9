/** Does the run only pause here, to be resumed? */
export function isInterrupt(error: unknown): boolean {
  return error instanceof Error && "is_bubble_up" in error;
}
