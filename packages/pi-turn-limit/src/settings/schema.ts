import { PER } from "../core.ts";
import { limitPer } from "../limits/limit-of.ts";
import { PERIODS, startsOver } from "../limits/periods.ts";
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
      listed: {
        description:
          "Are your sessions listed in your store while they work, so that they can be seen, answered and stopped from elsewhere? Only counts in your own settings.",
        type: "boolean",
        default: true,
      },
      finalTool: {
        description:
          "The tool with which the agent gives its answer, if it has one. Its calls are no steps, and in the last turn without tools it is the one that is offered. Only counts in your own settings.",
        type: "string",
        minLength: 1,
      },
      tell: {
        description:
          "Is the model told what it has left, in one line at the end of a request: at 80, 90 and 95 % of each limit (true), at other shares in percent, or in every turn? Only counts in your own settings.",
        default: false,
        ...tellSchema(),
      },
      notify: {
        description:
          "Where questions reach you besides the terminal, or a list of such places: ntfy://HOST/TOPIC, ntfy:ADDRESS/TOPIC, webhook:ADDRESS or command:LINE. Only counts in your own settings.",
        ...textOrList(),
      },
      progress: {
        description:
          "A command of the shell that says whether a run gets somewhere, for limits with extend: by exit code 0, or by a number in its last line that rises. Without it, it does if files have new contents. Only counts in your own settings.",
        type: "string",
        minLength: 1,
      },
      notifyOn: {
        description:
          "What you are told of besides questions: budget, end and idle=TIME. Only counts in your own settings.",
        ...textOrList(),
      },
    },
  };
}

function tellSchema(): object {
  const share = { type: "number", exclusiveMinimum: 0, maximum: 100 };
  const at = { anyOf: [{ type: "array", minItems: 1, items: share }, { const: "every turn" }] };
  const message = {
    description: "For one limit, with {limit}, {used}, {max}, {left}, {share} and {end} in it.",
    type: "string",
    minLength: 1,
  };
  const object = { type: "object", additionalProperties: false, properties: { at, message } };
  return { anyOf: [{ type: "boolean" }, ...at.anyOf, object] };
}

function textOrList(): object {
  const text = { type: "string", minLength: 1 };
  return { anyOf: [text, { type: "array", minItems: 1, items: text }] };
}

function familySchema({ about, member, example, namePattern }: LimitFamily): object {
  const { anyOf } = limitSchema(member(namePattern === undefined ? "name" : example), { required: ["max"] });
  return {
    description: `${about} ${BOUNDS}`,
    type: "object",
    ...(namePattern !== undefined && { propertyNames: { pattern: namePattern } }),
    additionalProperties: { anyOf },
  };
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
  // What a limit says besides its period depends only on whether it starts over by itself.
  const forms = [true, false].flatMap((doesStartOver) => {
    const periods = PERIODS.filter((per) => startsOver(per) === doesStartOver);
    const [first] = periods.flatMap((per) => limitPer(limit, per) ?? []);
    if (first === undefined) return [];
    const { max, ...others } = first.settings;
    const per = { description: "What it holds for, instead of one prompt.", enum: periods };
    return [{ ...objectSchema({ max, per: { schema: per }, ...others }), required: ["max", PER] }];
  });
  if (forms.length === 0) return [];
  // After a maximum, and an object for a prompt.
  const all = [0, 1, ...forms.map((_, index) => index + 2)];
  return [
    ...forms,
    {
      description: "One limit for each prompt, and one for each period.",
      type: "array",
      minItems: 1,
      items: { anyOf: all.map((form) => ({ $ref: `#/properties/${limit.key}/anyOf/${form}` })) },
    },
  ];
}

function objectSchema(settings: Readonly<Record<string, { readonly schema: object }>>): object {
  const properties = Object.entries(settings).map(([name, { schema }]) => [name, schema]);
  return { type: "object", additionalProperties: false, properties: Object.fromEntries(properties) };
}
