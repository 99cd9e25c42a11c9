import type { Usage } from "./Usage.ts";

/** How a turn ended that got no answer: its request failed, or a person or program cancelled it. */
export type Mishap = "failed" | "aborted";

/** How a turn ended. Without a mishap it was answered. */
export interface TurnEnd {
  mishap?: Mishap | undefined;
  usage?: Usage | undefined;
}

/**
 * What became of the run's last request.
 *
 * - `none`: there was none yet
 * - `in-flight`: it has been sent
 * - `answered`: its answer arrived
 * - `retry-due`: it failed, or its answer was thrown away; the next request takes its place
 * - `failed`, `aborted`: something went wrong that no retry makes good
 */
export type RequestStatus = "none" | "in-flight" | "answered" | "retry-due" | Mishap;

/** The status after a mishap. Only a request that was still wanted can be made again. */
export function afterMishap(request: RequestStatus, mishap: Mishap): RequestStatus {
  return mishap === "failed" && isWanted(request) ? "retry-due" : mishap;
}

/** Does the run still want an answer to this request? */
export function isWanted(request: RequestStatus): boolean {
  return request === "in-flight" || request === "retry-due";
}
