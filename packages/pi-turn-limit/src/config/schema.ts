import {
  boundaryStyle,
  isFamily,
  type LimitFamily,
  type LimitTable,
  type PiLimit,
  piLimits,
} from "../limits/pi-limits.ts";

const BOUNDS = "A project may lower your limit, not raise it.";

/** The JSON schema of `turn-limit.json`. `npm run schema` writes it to the file that is published. */
export function settingsSchema(table: LimitTable = piLimits): object {
  const limits = table.map((row) => [row.key, isFamily(row) ? familySchema(row) : limitSchema(row)]);
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

function limitSchema({ about, settings }: PiLimit, demand: object = { minProperties: 1 }) {
  const parts = Object.entries(settings).map(([name, { schema }]) => [name, schema]);
  const object = { type: "object", additionalProperties: false, properties: Object.fromEntries(parts) };
  return {
    description: `${about} ${BOUNDS}`,
    default: settings.max.initial,
    anyOf: [settings.max.schema, { ...object, ...demand }],
  };
}
