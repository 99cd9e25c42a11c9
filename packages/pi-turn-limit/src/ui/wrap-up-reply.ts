/** What a person's request to wrap up led to. */
export type WrapUpWish = "granted" | "told already" | "nothing to wrap up";

/** What the person is told about it, and how urgently. */
export function wrapUpReply(wish: WrapUpWish): [message: string, type: "info" | "warning"] {
  if (wish === "granted") return ["The agent will be told to wrap up before its next turn.", "info"];
  if (wish === "told already") return ["The agent has already been told to wrap up.", "info"];
  return ["The agent is not working: there is nothing to wrap up.", "warning"];
}
