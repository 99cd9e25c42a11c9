import { PER } from "../core.ts";
import { limitPer } from "../limits/limit-of.ts";
import { PERIODS } from "../limits/periods.ts";
import { isFamily, type LimitFamily, type PiLimit } from "../limits/pi-limit.ts";
import { boundaryStyle, limitTable } from "../limits/pi-limits.ts";

const BOUNDS = "A project may lower your limit, not raise it.";

/** The JSON schema of `turn-limit.json`. `npm run schema` writes it to the file that is published. */
export function settingsSchema(): object {
  const limits = limitTable.map((row) => [row.key, isFamily(row) ? familySchema(row) : limitSchema(row)]);
  return {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "turn-limit settings for Pi",
    description:
      "Settings of pi-turn-limit: turn-limit.json in Pi's agent folder, or in a trusted project's .pi folder.",
    type: "object",
    additionalProperties: false,
    properties: {
      $schema: { type: "string" },
      ...Object.fromEntries(limits),
      boundary: boundaryStyle.schema,
      projectMayRaise: {
        description:
          "May a trusted project's settings allow more than yours? Only counts in your own settings.",
        type: "boolean",
        default: false,
      },
    },
  };
}

function familySchema({ about, member }: LimitFamily): object {
  const { anyOf } = limitSchema(member("name"), { required: ["max"] });
  return { description: `${about} ${BOUNDS}`, type: "object", additionalProperties: { anyOf } };
}

function limitSchema(limit: PiLimit, demand: object = { minProperties: 1 }) {
  const { about, settings } = limit;
  return {
    description: `${about} ${BOUNDS}`,
    default: settings.max.initial,
    anyOf: [settings.max.schema, { ...objectSchema(settings), ...demand }, ...periodSchemas(limit)],
  };
}

/** One limit for a period, and a list of limits. That a list has only one for each period is not said here. */
function periodSchemas(limit: PiLimit): object[] {
  // What a limit says besides its period is the same for all of them.
  const [first] = PERIODS.flatMap((per) => limitPer(limit, per) ?? []);
  if (first === undefined) return [];
  const { max, ...others } = first.settings;
  const per = { description: "What it holds for, instead of one prompt.", enum: PERIODS };
  const forms = ["0", "1", "2"].map((form) => ({ $ref: `#/properties/${limit.key}/anyOf/${form}` }));
  return [
    { ...objectSchema({ max, per: { schema: per }, ...others }), required: ["max", PER] },
    {
      description: "One limit for each prompt, and one for each period.",
      type: "array",
      minItems: 1,
      items: { anyOf: forms },
    },
  ];
}

function objectSchema(settings: Readonly<Record<string, { readonly schema: object }>>): object {
  const properties = Object.entries(settings).map(([name, { schema }]) => [name, schema]);
  return { type: "object", additionalProperties: false, properties: Object.fromEntries(properties) };
}
