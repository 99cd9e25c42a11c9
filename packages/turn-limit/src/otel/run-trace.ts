import {
  type Attributes,
  type Context,
  context,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from "@opentelemetry/api";
import type { Ask, Reply } from "../core/governor/decision.ts";
import type { Outcome } from "../core/governor/outcome.ts";
import type { Boundary } from "../core/limits/boundary.ts";
import type { Model } from "../core/meter/model.ts";
import type { Usage } from "../core/meter/usage.ts";
import type { ObservedCall, ObservedTurn, TurnEnd } from "../run/observer.ts";
import { type Metrics, SCOPE } from "./instruments.ts";

/** Which run it is. */
export interface TracedRun {
  readonly agent: string;
  readonly provider: string | undefined;
  readonly id: string;
}

interface OpenSpan {
  readonly span: Span;
  readonly began: number;
}

/** The spans of one run, and what its metrics are told. */
export class RunTrace {
  readonly #metrics: Metrics;
  readonly #run: TracedRun;
  readonly #tracer = trace.getTracer(SCOPE);
  readonly #span: Span;
  readonly #within: Context;
  readonly #turns = new Map<ObservedTurn, OpenSpan>();
  readonly #calls = new Map<ObservedCall, Span>();

  constructor(metrics: Metrics, run: TracedRun) {
    this.#metrics = metrics;
    this.#run = run;
    // Below what the caller has under way, such as the request of a user.
    const around = context.active();
    const attributes: Attributes = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": run.agent,
      "turn_limit.run.id": run.id,
      ...this.#provider(run.provider),
    };
    this.#span = this.#tracer.startSpan(`invoke_agent ${run.agent}`, { attributes }, around);
    this.#within = trace.setSpan(around, this.#span);
  }

  turnBegan(turn: ObservedTurn): void {
    const attributes: Attributes = {
      "gen_ai.operation.name": "chat",
      "turn_limit.request.kind": turn.as,
      "turn_limit.agent": turn.agent,
      ...this.#provider(this.#run.provider),
    };
    const span = this.#tracer.startSpan("chat", { kind: SpanKind.CLIENT, attributes }, this.#within);
    this.#turns.set(turn, { span, began: performance.now() });
  }

  turnEnded(turn: ObservedTurn, { usage, model, failure }: TurnEnd): void {
    const open = this.#turns.get(turn);
    if (!open) return;
    this.#turns.delete(turn);
    const { span, began } = open;
    const of = this.#chatWith(model);
    if (model) span.updateName(`chat ${model.id}`);
    span.setAttributes(of);
    if (usage) span.setAttributes(usageOf(usage));
    if (failure) span.setAttribute("error.type", failure).setStatus({ code: SpanStatusCode.ERROR });
    span.end();
    this.#metrics.duration.record((performance.now() - began) / 1_000, {
      ...of,
      ...(failure && { "error.type": failure }),
    });
    if (usage) this.#measure(usage, of);
  }

  /** Nothing was sent, so there was no request: its span is never ended, and so not exported. */
  turnAbandoned(turn: ObservedTurn): void {
    this.#turns.delete(turn);
  }

  spent(usage: Usage, model: Model | undefined): void {
    this.#measure(usage, this.#chatWith(model));
  }

  callBegan(call: ObservedCall): void {
    const name = call.tool ?? "tool";
    const attributes: Attributes = {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      ...(call.id !== undefined && { "gen_ai.tool.call.id": call.id }),
    };
    this.#calls.set(call, this.#tracer.startSpan(`execute_tool ${name}`, { attributes }, this.#within));
  }

  callEnded(call: ObservedCall): void {
    this.#calls.get(call)?.end();
    this.#calls.delete(call);
  }

  /** It did not run: its span is never ended, and so not exported. */
  callDenied(call: ObservedCall): void {
    this.#calls.delete(call);
  }

  asked(question: Ask): void {
    this.#span.addEvent("turn_limit.question", atLimit(question));
    this.#metrics.questions.add(1, kindOf(question));
  }

  replied(question: Ask, reply: Reply | undefined): void {
    const said =
      typeof reply === "object" ? "more" : typeof reply === "string" ? reply : reply ? "yes" : "no";
    this.#span.addEvent("turn_limit.reply", { ...atLimit(question), "turn_limit.reply": said });
    if (["more", "yes", "unlimited"].includes(said))
      this.#metrics.grants.add(1, { ...kindOf(question), "turn_limit.reply": said });
  }

  extended(boundary: Boundary): void {
    this.#span.addEvent("turn_limit.extension", atLimit(boundary));
  }

  ended(outcome: Outcome): void {
    // What the host never told the end of.
    for (const { span } of this.#turns.values()) span.end();
    for (const span of this.#calls.values()) span.end();
    const { kind, turns, steps, usage } = outcome;
    const limited = kindOf(outcome);
    this.#span.setAttributes({
      "turn_limit.outcome": kind,
      "turn_limit.turns": turns,
      "turn_limit.steps": steps,
      ...limited,
      ...(usage && usageOf(usage)),
    });
    if (kind === "failed") this.#span.setAttribute("error.type", "failed");
    if (kind === "failed" || kind === "limit-overrun") this.#span.setStatus({ code: SpanStatusCode.ERROR });
    if (outcome.limit !== undefined) this.#span.addEvent("turn_limit.stop", limited);
    this.#span.end();
    const of = { "turn_limit.outcome": kind, "gen_ai.agent.name": this.#run.agent };
    this.#metrics.runs.add(1, of);
    if (outcome.limit !== undefined) this.#metrics.stops.add(1, { ...of, ...limited });
  }

  #measure(usage: Usage, of: Attributes): void {
    this.#metrics.tokens.record(allInput(usage), { ...of, "gen_ai.token.type": "input" });
    this.#metrics.tokens.record(usage.output, { ...of, "gen_ai.token.type": "output" });
  }

  #chatWith(model: Model | undefined): Attributes {
    return {
      "gen_ai.operation.name": "chat",
      ...(model && { "gen_ai.response.model": model.id }),
      ...this.#provider(model?.provider ?? this.#run.provider),
    };
  }

  #provider(name: string | undefined): Attributes {
    return name === undefined ? {} : { "gen_ai.provider.name": name };
  }
}

/** Which limit: what kind it is, and of which tool or period. Its name may be the name of a pool, and is left out. */
function kindOf({ identity }: Pick<Outcome, "identity">): Attributes {
  if (!identity) return {};
  return {
    "turn_limit.limit": identity.kind,
    ...(identity.tool !== undefined && { "gen_ai.tool.name": identity.tool }),
    ...(identity.per !== undefined && { "turn_limit.per": identity.per }),
    "turn_limit.shared": identity.pool !== undefined,
  };
}

function atLimit({ used, max, identity }: Boundary): Attributes {
  return { ...kindOf({ identity }), "turn_limit.used": used, "turn_limit.max": String(max) };
}

function usageOf(usage: Usage): Attributes {
  const { output, cacheRead, cacheWrite, cost } = usage;
  return {
    "gen_ai.usage.input_tokens": allInput(usage),
    "gen_ai.usage.output_tokens": output,
    ...(cacheRead !== undefined && { "gen_ai.usage.cache_read.input_tokens": cacheRead }),
    ...(cacheWrite !== undefined && { "gen_ai.usage.cache_creation.input_tokens": cacheWrite }),
    ...(cost !== undefined && { "turn_limit.cost": cost }),
  };
}

// By the conventions, tokens that were read from a cache or written to it are input, too.
function allInput({ input, cacheRead = 0, cacheWrite = 0 }: Usage): number {
  return input + cacheRead + cacheWrite;
}
