/** What is started by a request, and takes tokens later, or on a connection of its own. No answer here reports them. */
const ELSEWHERE: readonly { readonly path: RegExp; readonly what: string; readonly instead: string }[] = [
  {
    path: /^\/batch(\/v\w+)?$|\/batches$|\/batch\/jobs$|\/batchPredictionJobs$|:(batchGenerateContent|asyncBatchEmbedContent)$/i,
    what: "A batch works on its requests later",
    instead: "Send its requests one by one",
  },
  {
    path: /\/fine_tuning\/jobs$|\/fine-tunes$|\/tunedModels$|\/tuningJobs$/i,
    what: "A fine-tuning job works later",
    instead: "Send requests to a model that exists",
  },
  {
    path: /\/realtime\/(sessions|transcription_sessions|client_secrets|calls)$|\/auth_tokens$/i,
    what: "A realtime session has a connection of its own",
    instead: "Send plain requests",
  },
  {
    path: /\/threads(\/[^/]+)?\/runs$|\/runs\/[^/]+\/submit_tool_outputs$/i,
    what: "A run of an assistant works at the provider",
    instead: "Send plain requests",
  },
  {
    path: /\/evals\/[^/]+\/runs$|\/(alpha\/)?graders\/run$/i,
    what: "A run of an eval works at the provider",
    instead: "Send its requests one by one",
  },
];

/**
 * Why a request that is sent to this path cannot be held to any limit, and what to do instead. `undefined`: it can.
 */
export function spendsElsewhere(path: string): string | undefined {
  const found = ELSEWHERE.find((one) => one.path.test(path));
  return (
    found &&
    `${found.what}, where no limit of turn-limit sees what it takes, so it is not sent. ${found.instead}, or start it without turn-limit.`
  );
}
