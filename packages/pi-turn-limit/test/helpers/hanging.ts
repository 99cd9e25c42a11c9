import { bash, calls, type Reply, stalls, trickles } from "@turn-limit/rig";

/** Ways in which a turn never ends by itself. */
export const hanging: { what: string; reply: Reply }[] = [
  { what: "a command that hangs", reply: calls(bash("sleep 600")) },
  { what: "a request that gets no answer", reply: stalls() },
  { what: "an answer that never ends", reply: trickles("And on. ") },
];
