import type { ProviderReply } from "../provider/provider-replies.ts";
import { lastUserText, type ProviderRequest, turnOfConversation } from "../provider/provider-request.ts";
import type { ProviderScript } from "../provider/scripted-provider.ts";
import { calls, fails, says, withUsage } from "../replies.ts";
import { shellCall, subAgentCall } from "./agent-tools.ts";
import { kindOf, type RequestKind } from "./request-kind.ts";

/** A script for each kind of request. What is left out is answered as a willing model would. */
export type ScriptsByKind = Partial<Record<RequestKind, ProviderScript>>;

const moreThanAnyContext = 5_000_000;

const willing: Record<RequestKind, ProviderScript> = {
  main: (request) => worksFor(1)(request),
  "sub-agent": (request) => finishes(request, "The helper is done."),
  title: () => says('{"title":"A scripted title"}'),
  compaction: () => says("<summary>Everything so far, in short.</summary>"),
  aside: () => says("Nothing to add."),
};

/**
 * Answers each kind of request by a script of its own.
 *
 * @example
 * const provider = await startScriptedProvider(byKind({ main: worksForever() }));
 */
export function byKind(scripts: ScriptsByKind): ProviderScript {
  return (request) => {
    const kind = kindOf(request);
    return (scripts[kind] ?? willing[kind])(request);
  };
}

/** Never ends by itself: each answer is another shell command. */
export function worksForever(): ProviderScript {
  return (request) => works(request);
}

/** Makes a tool call in each of the first `toolCalls` turns, and then answers by text. */
export function worksFor(toolCalls: number, text = "All done."): ProviderScript {
  return (request) => (turnOfConversation(request) > toolCalls ? finishes(request, text) : works(request));
}

/** Follows `script`, but fails at the requests given, counted from 1 over the life of the provider. */
export function failsAt(indices: readonly number[], status: number, script: ProviderScript): ProviderScript {
  return (request) => (indices.includes(request.index) ? fails(status) : script(request));
}

/** Starts a sub-agent at the first request that it is asked, and then follows `script`. */
export function startsSubAgent(prompt: string, script: ProviderScript): ProviderScript {
  let started = false;
  return (request) => {
    if (started) return script(request);
    started = true;
    return calls(subAgentCall(request, prompt));
  };
}

/** Makes a tool call for each of the first `requests` that it is asked, and then answers by text. Survives compactions. */
export function worksForRequests(requests: number, text = "All done."): ProviderScript {
  let asked = 0;
  return (request) => (++asked > requests ? finishes(request, text) : works(request));
}

/**
 * Follows `script`, and says of the answer to the n-th request that it is asked that it filled the context: with more tokens
 * than any has, or with so many.
 */
export function fillsContextAt(
  n: number,
  script: ProviderScript,
  promptTokens = moreThanAnyContext,
): ProviderScript {
  let asked = 0;
  return async (request) => {
    const full = ++asked === n;
    const reply = await script(request);
    return full && reply.kind === "answer" ? withUsage({ promptTokens }, reply) : reply;
  };
}

/** Answers by text as soon as the newest message says `wrapUp`, and follows `script` until then. */
export function obeys(wrapUp: string | RegExp, text: string, script: ProviderScript): ProviderScript {
  return (request) => {
    const said = lastUserText(request);
    const told = typeof wrapUp === "string" ? said.includes(wrapUp) : wrapUp.test(said);
    return told ? finishes(request, text) : script(request);
  };
}

/** Answers by text whenever tools are forbidden or none is on offer, and follows `script` otherwise. */
export function answersWithoutTools(text: string, script: ProviderScript): ProviderScript {
  return (request) =>
    request.toolsForbidden || request.toolNames.length === 0 ? says(text) : script(request);
}

function works(request: ProviderRequest): ProviderReply {
  return calls(shellCall(request, `echo turn ${turnOfConversation(request)}`));
}

// A sub-agent of Gemini CLI has to call a tool for that.
function finishes(request: ProviderRequest, text: string): ProviderReply {
  if (!request.toolNames.includes("complete_task") || request.toolsForbidden) return says(text);
  return calls({ name: "complete_task", arguments: { result: { response: text } } });
}
