import { Agent } from "@mastra/core/agent";
import { UnsupportedOption } from "../../core/errors/unsupported-option.ts";
import { AgentCall, type EntryPoint, type Returned } from "./agent-call.ts";
import { isHook, limitsIn, type RunOptions } from "./run-options.ts";
import { currentCall, currentCaller, inScope } from "./scope.ts";

const ADAPTER = "turn-limit/mastra";

type Tools = Record<string, unknown>;
type Call = (this: Agent, input: unknown, options?: RunOptions) => Promise<Returned>;

/** The methods of the host's class that runs go through. */
interface Methods {
  generate: Call;
  stream: Call;
  resumeGenerate: Call;
  resumeStream: Call;
  network: Call;
  resumeNetwork: Call;
  getDefaultOptions(this: Agent, given?: object): Promise<RunOptions> | RunOptions;
  convertTools(this: Agent, given: object): Promise<Tools>;
}

/**
 * Watches the calls of agents, from now on. Of a call without limits nothing changes.
 *
 * It is the class that has to be watched: the options of a call replace the agent's default ones instead of joining
 * them, nothing of them reaches its sub-agents, and a run that is resumed takes the tools from the agent.
 */
export function watchAgents(): void {
  const methods = Agent.prototype as unknown as Methods;
  replace(methods, "generate", (own) => callOf(own, { resumes: false, streams: false }));
  replace(methods, "stream", (own) => callOf(own, { resumes: false, streams: true }));
  replace(methods, "resumeGenerate", (own) => callOf(own, { resumes: true, streams: false }));
  replace(methods, "resumeStream", (own) => callOf(own, { resumes: true, streams: true }));
  replace(methods, "network", networkOf);
  replace(methods, "resumeNetwork", networkOf);
  replace(
    methods,
    "getDefaultOptions",
    (own) =>
      function (given) {
        const call = currentCall(this);
        const defaults = own.call(this, given);
        if (!call) return defaults;
        if (!(defaults instanceof Promise)) return call.defaultsAre(defaults);
        return defaults.then((known) => call.defaultsAre(known));
      },
  );
  replace(
    methods,
    "convertTools",
    (own) =>
      async function (given) {
        const tools = await own.call(this, given);
        return currentCall(this)?.run?.tools.govern(tools) ?? tools;
      },
  );
}

function callOf(own: Call, entry: EntryPoint): Call {
  return async function (input, options) {
    // The host calls itself again with options that are governed already.
    if (isHook(options?.prepareStep)) return own.call(this, input, options);
    // Without types it may be null, too.
    const call = new AgentCall(entry, options ?? {}, currentCaller());
    try {
      const result = await inScope({ agent: this, call }, () => own.call(this, input, call.options));
      call.returned(result);
      await call.run?.progress.poolsSettled();
      return result;
    } catch (error) {
      call.failed();
      await call.run?.progress.poolsSettled();
      throw error;
    }
  };
}

function networkOf(own: Call): Call {
  return async function (input, options) {
    const { requestContext } = options ?? {};
    const defaults = await this.getDefaultOptions({ ...(requestContext && { requestContext }) });
    if (limitsIn(options) ?? limitsIn(defaults)) throw new UnsupportedOption(ADAPTER, "network()", NETWORK);
    return own.call(this, input, options);
  };
}

const NETWORK =
  "its loop cannot be held before a turn. Give the agent its sub-agents as `agents`, and call generate() or stream().";

function replace<Name extends keyof Methods>(
  methods: Methods,
  name: Name,
  by: (own: Methods[Name]) => Methods[Name],
): void {
  const own = methods[name];
  if (typeof own !== "function") {
    throw new UnsupportedOption(
      ADAPTER,
      "limits",
      `the Agent of this version of @mastra/core has no ${name}()`,
    );
  }
  Object.defineProperty(methods, name, { value: by(own), writable: true, configurable: true });
}
