import type { MastraLanguageModel } from "@mastra/core/agent";
import type { ProcessInputStepResult } from "@mastra/core/processors";
import type { GovernedRuns } from "../shared/GovernedRuns.ts";
import { bounded } from "./bounded.ts";
import type { ToolPhase } from "./ToolPhase.ts";

type Given = NonNullable<ProcessInputStepResult["model"]>;

/** The models of a run, bounded. Mostly it is one. */
export class BoundedModels {
  readonly #runs: GovernedRuns;
  readonly #toolPhase: ToolPhase;
  #latest: { given: Given; bounded: Given } | undefined;

  constructor(runs: GovernedRuns, toolPhase: ToolPhase) {
    this.#runs = runs;
    this.#toolPhase = toolPhase;
  }

  /** The host's model, or the one that somebody wants for this step instead. */
  async of(own: MastraLanguageModel, wanted: Given | undefined): Promise<Given> {
    const given = wanted ?? own;
    if (this.#latest?.given !== given) {
      const model = wanted ? await resolved(wanted) : own;
      this.#latest = { given, bounded: model ? bounded(model, this.#runs, this.#toolPhase) : given };
    }
    return this.#latest.bounded;
  }
}

/** Only a model that the host will refuse is none. */
async function resolved(given: Given): Promise<MastraLanguageModel | undefined> {
  const { resolveModelConfig } = await import("@mastra/core/llm");
  const model = await resolveModelConfig(given);
  return model.specificationVersion === "v1" ? undefined : model;
}
