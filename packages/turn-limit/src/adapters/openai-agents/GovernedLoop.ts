import type { Runner } from "@openai/agents";
import { UnsupportedOption } from "../../errors/UnsupportedOption.ts";
import type { Admission, GovernedRuns } from "../shared/GovernedRuns.ts";
import { withMessage } from "./hooks.ts";
import type { UsageMeter } from "./UsageMeter.ts";

/** Any agent, whatever its context and its output. */
export type AnyAgent = Parameters<Runner["run"]>[0];

const NAME = "turn-limit/openai-agents";
const RUN_UNASKED = new Set(["computer", "shell", "apply_patch"]);

/** One loop of the host, an agent's or a sub-agent's, under the limits of its run. */
export class GovernedLoop {
  readonly runs: GovernedRuns;
  readonly meter: UsageMeter;
  /** Does a tool call of another loop run this one, on the budget of the same run? */
  readonly nested: boolean;
  /** The agent whose turn it is. */
  agent: AnyAgent;
  signal: AbortSignal | undefined;
  /** Is a sandbox configured? Its agents work as copies of themselves, which only the input filter can see. */
  sandboxed = false;
  #admission: Promise<Admission> | undefined;
  #offers = false;
  readonly #refusals = new Map<string, string | undefined>();

  constructor(agent: AnyAgent, runs: GovernedRuns, meter: UsageMeter, nested: boolean) {
    this.agent = agent;
    this.runs = runs;
    this.meter = meter;
    this.nested = nested;
  }

  /** The host lists what the model is offered before it sends the request, so the turn is admitted here. */
  async offered<Offer>(list: () => Promise<Offer[]>): Promise<Offer[]> {
    this.#offers = true;
    return (await this.#admit()).kind === "synthesize" ? [] : list();
  }

  /** Refuses a step limit that calls of these tools would slip through. */
  requireAsked(tools: { type: string; name: string }[]): void {
    const tool = tools.find(({ type }) => RUN_UNASKED.has(type));
    if (!tool || this.runs.governor.steps === "unlimited") return;
    throw new UnsupportedOption(
      NAME,
      "steps",
      `calls of the ${tool.type} tool "${tool.name}" cannot be refused`,
    );
  }

  /** Refuses a tools-free turn for an agent whose tools are listed elsewhere. */
  requireOffered(): void {
    if (this.#offers) return;
    throw new UnsupportedOption(
      NAME,
      "synthesize",
      `the tools of "${this.agent.name}" are made by its sandbox`,
    );
  }

  /** The host asks for the instructions as the last thing before it sends the request. */
  async instructed(instructions: string | undefined): Promise<string | undefined> {
    if (this.sandboxed || !this.#admission) return instructions;
    return withMessage(instructions, await this.send());
  }

  /** The request is about to be sent. */
  async send(): Promise<Admission> {
    const admission = await this.#admit();
    this.#admission = undefined;
    this.#refusals.clear();
    return admission;
  }

  /** Why a call must not run. The host may ask more than once about a call; it counts once. */
  refusal(callId: string): string | undefined {
    if (!this.#refusals.has(callId)) this.#refusals.set(callId, this.runs.refusal());
    return this.#refusals.get(callId);
  }

  /** Tells the governor of the answers that came since the last time. */
  readMeter(): void {
    const usage = this.meter.read();
    if (usage) this.runs.turnEnded({ usage });
  }

  #admit(): Promise<Admission> {
    if (!this.#admission) {
      this.readMeter();
      this.#admission = this.runs.admitTurn(this.signal);
    }
    return this.#admission;
  }
}
