import type { Max } from "turn-limit";
import { stepLimitInput, turnLimitInput } from "./inputs.ts";
import type { Claims, LimitKey, LimitValues, Steps } from "./LimitValues.ts";
import type { LimitCommand } from "./TextInput.ts";

/** Something a project's settings say that only the person's own may. */
export interface Beyond {
  key: LimitKey;
  /** What it is, and why it is ignored, as the middle of a sentence. */
  what: string;
  why: string;
}

/** What of a project's settings goes beyond the person's own: more turns, steps or requests, or words to the model. */
export function beyondBounds(project: Claims, person: LimitValues): Beyond[] {
  const { turns = person.turns, steps = person.steps, headless = person.headless, wrapUpMessage } = project;
  const beyond: Beyond[] = [];
  if (admitsMore(turns, person.turns)) beyond.push(raised(turnLimitInput, project, person));
  if (admitsMoreSteps(steps, person.steps)) beyond.push(raised(stepLimitInput, project, person));
  if (headless !== person.headless && headless === "synthesize") {
    const why = "the answer without tools is one request more than your limit";
    beyond.push({ key: "headless", what: 'The headless policy "synthesize"', why });
  }
  if (wrapUpMessage !== undefined) {
    beyond.push({
      key: "wrapUpMessage",
      what: "The wrap-up message",
      why: "only you say what the model is told",
    });
  }
  return beyond;
}

function raised({ key, name, format }: LimitCommand, project: Claims, person: LimitValues): Beyond {
  const [theirs, yours] = [project, person].map((said) => format({ [key]: said[key] }));
  const why = `a project may lower your limit of ${yours}, not raise it`;
  return { key, what: `The ${name} ${theirs}`, why };
}

function admitsMore(max: Max, other: Max): boolean {
  if (other === "unlimited") return false;
  return max === "unlimited" || max > other;
}

function admitsMoreSteps(steps: Steps, other: Steps): boolean {
  if (steps === "unlimited" || other === "unlimited") return admitsMore(maxOf(steps), maxOf(other));
  const oneRequestMore = steps.onExhausted === "synthesize" && other.onExhausted === "raise";
  return steps.max > other.max || oneRequestMore;
}

function maxOf(steps: Steps): Max {
  return steps === "unlimited" ? steps : steps.max;
}
