import type { Max } from "turn-limit";
import { type Beyond, beyondOwn } from "./Beyond.ts";
import { budgetSettingList } from "./budget-settings.ts";
import { stepLimitInput, turnLimitInput } from "./inputs.ts";
import type { Claims, LimitValues, Steps } from "./LimitValues.ts";
import { admitsMore, notRaised } from "./Setting.ts";
import type { LimitCommand } from "./TextInput.ts";
import { boundTools } from "./tool-bounds.ts";
import { isToolKey } from "./tool-budgets.ts";

/** What of a project's settings counts, and what goes beyond the person's own. */
export function withinBounds(project: Claims, person: LimitValues): { claims: Claims; beyond: Beyond[] } {
  const beyond = [...beyondTurnsAndSteps(project, person), ...beyondBudgets(project, person)];
  const tools = boundTools(project, person);
  const kept = Object.entries(project).filter(
    ([name]) => !isToolKey(name) && beyond.every(({ key }) => key !== name),
  );
  return {
    claims: { ...Object.fromEntries(kept), ...tools.claims },
    beyond: [...beyond, ...tools.beyond],
  };
}

/** More turns, steps or requests, or words to the model. */
function beyondTurnsAndSteps(project: Claims, person: LimitValues): Beyond[] {
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

function beyondBudgets(project: Claims, person: LimitValues): Beyond[] {
  return budgetSettingList.flatMap(([key, setting]) => {
    const theirs = project[key];
    return theirs === undefined ? [] : beyondOwn(key, setting, theirs, person[key]);
  });
}

function raised({ key, name, format }: LimitCommand, project: Claims, person: LimitValues): Beyond {
  const [theirs = "", yours = ""] = [project, person].map((said) => format({ [key]: said[key] } as Claims));
  return { key, what: `The ${name} ${theirs}`, why: notRaised(yours) };
}

function admitsMoreSteps(steps: Steps, other: Steps): boolean {
  if (steps === "unlimited" || other === "unlimited") return admitsMore(maxOf(steps), maxOf(other));
  const oneRequestMore = steps.onExhausted === "synthesize" && other.onExhausted === "raise";
  return steps.max > other.max || oneRequestMore;
}

function maxOf(steps: Steps): Max {
  return steps === "unlimited" ? steps : steps.max;
}
