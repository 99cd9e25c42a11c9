import { DEFAULT_MAX_TURNS, type Max } from "turn-limit";
import { readFileClaims, refusal } from "./file-claims.ts";
import { stepLimitInput, textInputs, turnLimitInput } from "./inputs.ts";
import type { Claims, LimitKey, LimitValues } from "./LimitValues.ts";
import type { Sources } from "./sources.ts";
import type { LimitCommand } from "./TextInput.ts";

/** The limits when nobody says otherwise. */
export const DEFAULTS: LimitValues = {
  turns: DEFAULT_MAX_TURNS,
  grace: 0,
  headless: "stop",
  wrapUpMessage: "",
  steps: "unlimited",
};

/** What a source says, and which source it is, in words. */
export interface SourcedClaims {
  readonly source: string;
  readonly claims: Claims;
}

/** What is configured: the claims of every source, the strongest first. */
export interface Resolution {
  readonly order: readonly SourcedClaims[];
  /** What was refused on the way, each a sentence for the person. */
  readonly problems: readonly string[];
}

/**
 * Reads flags, environment, project and user settings, in that order. A bad value is refused with its
 * source and what is allowed, and the next source is used: it never means unlimited.
 */
export function resolve(sources: Sources): Resolution {
  const problems: string[] = [...sources.user.problems, ...sources.project.problems];

  function fromTexts(
    text: (input: (typeof textInputs)[number]) => [source: string, text: string | undefined],
  ) {
    return textInputs.flatMap((input): SourcedClaims[] => {
      const [source, said] = text(input);
      if (said === undefined) return [];
      const claims = input.parse(said);
      if (claims) return [{ source, claims }];
      problems.push(refusal(input.name, said, source, input.allowed));
      return [];
    });
  }

  const flags = fromTexts(({ flag }) => [`--${flag}`, sources.flag(flag)]);
  const environment = fromTexts(({ env }) => [env, sources.env(env)]);
  const project = readFileClaims(sources.project);
  const user = readFileClaims(sources.user);
  const person = { ...DEFAULTS, ...user.claims };
  const raises = sources.projectMayRaise ? [] : raised(project.claims, person);
  problems.push(...project.problems, ...user.problems);
  problems.push(...raises.map((input) => raiseRefusal(input, project.claims, person, sources)));

  return {
    order: [
      ...flags,
      ...environment,
      {
        source: `project settings, ${sources.project.path}`,
        claims: without(
          project.claims,
          raises.map(({ key }) => key),
        ),
      },
      { source: `your settings, ${sources.user.path}`, claims: user.claims },
      { source: "default", claims: DEFAULTS },
    ],
    problems,
  };
}

function raised(project: Claims, person: LimitValues): LimitCommand[] {
  const { turns = person.turns, steps = person.steps } = project;
  const maxSteps = (value: LimitValues["steps"]) => (value === "unlimited" ? value : value.max);
  return [
    ...(admitsMore(turns, person.turns) ? [turnLimitInput] : []),
    ...(admitsMore(maxSteps(steps), maxSteps(person.steps)) ? [stepLimitInput] : []),
  ];
}

function admitsMore(max: Max, other: Max): boolean {
  if (other === "unlimited") return false;
  return max === "unlimited" || max > other;
}

function without(claims: Claims, keys: readonly LimitKey[]): Claims {
  return Object.fromEntries(Object.entries(claims).filter(([key]) => !keys.includes(key as LimitKey)));
}

function raiseRefusal(
  input: LimitCommand,
  claims: Claims,
  person: LimitValues,
  { project, user }: Sources,
): string {
  const { name, key } = input;
  const [theirs, yours] = [claims, person].map((said) => input.format({ [key]: said[key] }));
  return (
    `The ${name} ${theirs} from project settings, ${project.path} is ignored: a project may lower your limit of ` +
    `${yours}, not raise it. To allow it, set "projectMayRaise": true in ${user.path}.`
  );
}
