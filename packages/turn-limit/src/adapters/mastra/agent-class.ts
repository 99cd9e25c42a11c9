import { Agent } from "@mastra/core/agent";
import { UnsupportedOption } from "../../core/errors/unsupported-option.ts";
import { GovernedRun } from "./governed-run.ts";
import { hooksOf, isHook, limitsIn, type RunOptions } from "./run-options.ts";
import { currentCaller, currentRun, inScope, takeDefaults } from "./scope.ts";
import { limitsOfRun } from "./suspended-runs.ts";

const ADAPTER = "turn-limit/mastra";

/** The limits that a call of an agent can come under. */
export interface Limits {
  /** A new run, or the one that waits to be resumed under this id. */
  runOf(suspendedAs: string | undefined): GovernedRun;
  /** The host returned this for the run, which may wait to be resumed. */
  returned(result: Returned, run: GovernedRun): void;
}

/** What the host returns for a run, streaming or not. */
export interface Returned {
  runId?: string;
  finishReason?: unknown;
  /** How far a stream is. */
  status?: string;
}

type Tools = Record<string, unknown>;
type Call = (this: Agent, input: unknown, options?: RunOptions) => Promise<unknown>;

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
        return takeDefaults(this) ?? own.call(this, given);
      },
  );
  replace(
    methods,
    "convertTools",
    (own) =>
      async function (given) {
        const tools = await own.call(this, given);
        return currentRun(this)?.tools.govern(tools) ?? tools;
      },
  );
}

/** A call of `generate()`, `stream()`, or what resumes a run. */
function callOf(own: Call, entry: { resumes: boolean; streams: boolean }): Call {
  return async function (input, options) {
    // The host calls itself again with options that are governed already.
    if (isHook(options?.prepareStep)) return own.call(this, input, options);
    // Without types it may be null, too.
    const given = options ?? {};
    const defaults = await defaultsOf(this, given);
    const { run, limits } = governed(given, defaults, entry.resumes);
    const limited = (run ? { ...given, ...run.hooks } : options) as RunOptions | undefined;
    try {
      const result = await inScope({ agent: this, run, defaults }, () => own.call(this, input, limited));
      // A stream goes on; so does, later, a run that waits for a person. Nothing may be read off a stream: what is read
      // and then fails without anybody who waits for it would end the process.
      const returned = isReturned(result) ? result : undefined;
      if (!entry.streams && returned?.finishReason !== "suspended") run?.end();
      if (run && returned) limits?.returned(returned, run);
      // The host's own limit of steps came first.
      if (!entry.streams && run?.progress.raised) throw run.progress.raised;
      return result;
    } catch (error) {
      run?.end("failed");
      throw error;
    } finally {
      await run?.progress.poolsSettled();
    }
  };
}

/** Others may have put something else in the place of the host's result. */
function isReturned(result: unknown): result is Returned {
  return typeof result === "object" && result !== null;
}

/** The run that a call belongs to, and whose limits it is under, if any. A sub-agent's is under those of its caller. */
function governed(
  given: RunOptions,
  defaults: RunOptions,
  resumes: boolean,
): { run?: GovernedRun | undefined; limits?: Limits | undefined } {
  const suspendedAs = resumes ? given.runId : undefined;
  const caller = currentCaller();
  const limits =
    limitsIn<Limits>(given) ?? limitsOfRun(suspendedAs) ?? (caller ? undefined : limitsIn<Limits>(defaults));
  const run = limits ? limits.runOf(suspendedAs) : caller && new GovernedRun(caller.subAgent());
  if (!run) return {};
  const id = given.runId ?? defaults.runId;
  const context = given.requestContext ?? defaults.requestContext;
  run.progress.info = { ...(id !== undefined && { id }), context };
  run.own = hooksOf(given, defaults);
  return { run, limits };
}

async function defaultsOf(agent: Agent, { requestContext }: RunOptions): Promise<RunOptions> {
  const { getDefaultOptions } = agent as unknown as Methods;
  return getDefaultOptions.call(agent, { requestContext });
}

function networkOf(own: Call): Call {
  return async function (input, options) {
    if (limitsIn(options) ?? limitsIn(await defaultsOf(this, options ?? {})))
      throw new UnsupportedOption(ADAPTER, "network()", NETWORK);
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
