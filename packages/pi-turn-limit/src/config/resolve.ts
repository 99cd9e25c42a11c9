import { DEFAULT_MAX_TURNS } from "turn-limit";
import type { Beyond } from "./Beyond.ts";
import { INITIAL_BUDGETS } from "./budget-settings.ts";
import { readFileClaims } from "./file-claims.ts";
import { textInputs } from "./inputs.ts";
import type { Claims, LimitValues } from "./LimitValues.ts";
import { withinBounds } from "./project-bounds.ts";
import { refusal } from "./refusal.ts";
import type { Sources } from "./sources.ts";

/** The limits when nobody says otherwise. */
export const DEFAULTS: LimitValues = {
  turns: DEFAULT_MAX_TURNS,
  grace: 0,
  headless: "stop",
  wrapUpMessage: "",
  steps: "unlimited",
  ...INITIAL_BUDGETS,
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
  const user = readFileClaims(sources.user);
  const project = readFileClaims(sources.project, user.claims);
  const bounded = sources.projectMayRaise
    ? { claims: project.claims, beyond: [] }
    : withinBounds(project.claims, { ...DEFAULTS, ...user.claims });
  const beyond = bounded.beyond.map((part) => boundsRefusal(part, sources));
  problems.push(...project.problems, ...user.problems, ...beyond);

  return {
    order: [
      ...flags,
      ...environment,
      { source: `project settings, ${sources.project.path}`, claims: bounded.claims },
      { source: `your settings, ${sources.user.path}`, claims: user.claims },
      { source: "default", claims: DEFAULTS },
    ],
    problems,
  };
}

function boundsRefusal({ what, why }: Beyond, { project, user }: Sources): string {
  return (
    `${what} from project settings, ${project.path} is ignored: ${why}. ` +
    `To allow it, set "projectMayRaise": true in ${user.path}.`
  );
}
