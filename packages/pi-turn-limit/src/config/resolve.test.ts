import { expect, test } from "vitest";
import { resolve } from "./resolve.ts";
import type { Sources } from "./sources.ts";
import { turns } from "./turns.ts";

function sources(given: {
  flag?: string;
  env?: string;
  project?: unknown;
  user?: unknown;
  projectMayRaise?: boolean;
}): Sources {
  const file = (path: string, value: unknown) => ({
    path,
    values: value === undefined ? {} : { turns: value },
    problems: [],
  });
  return {
    flag: () => given.flag,
    env: () => given.env,
    project: file("project.json", given.project),
    user: file("user.json", given.user),
    projectMayRaise: given.projectMayRaise ?? false,
  };
}

test("without any source the default is in force", () => {
  expect(resolve(turns, sources({}))).toEqual({ value: 25, source: "default", problems: [] });
});

test("flag wins over environment over project over user", () => {
  const all = { flag: "1", env: "2", project: 3, user: 4 };
  const { flag, ...fromEnv } = all;
  const { env, ...fromProject } = fromEnv;
  const { project, ...fromUser } = fromProject;
  expect([flag, env, project]).toEqual(["1", "2", 3]);

  expect(resolve(turns, sources(all))).toMatchObject({ value: 1, source: "--max-turns" });
  expect(resolve(turns, sources(fromEnv))).toMatchObject({ value: 2, source: "PI_MAX_TURNS" });
  expect(resolve(turns, sources(fromProject))).toMatchObject({
    value: 3,
    source: "project settings, project.json",
  });
  expect(resolve(turns, sources(fromUser))).toMatchObject({ value: 4, source: "your settings, user.json" });
});

test("a bad value is refused with its source, the value and what is allowed, and the next source is used", () => {
  const { value, problems } = resolve(turns, sources({ flag: "abc", env: "-1", project: "x", user: 9 }));

  expect(value).toBe(9);
  expect(problems).toEqual([
    'Invalid turn limit "abc" from --max-turns. Allowed: a whole number from 0 on, or unlimited. It is ignored.',
    'Invalid turn limit "-1" from PI_MAX_TURNS. Allowed: a whole number from 0 on, or unlimited. It is ignored.',
    'Invalid turn limit "x" from "turns" of project.json. Allowed: a whole number from 0 on, "unlimited", or { "max": … } with one of these. It is ignored.',
  ]);
});

test("when every value is bad the default is in force, never unlimited", () => {
  const { value, problems } = resolve(turns, sources({ flag: "", env: "Infinity", project: -1, user: null }));

  expect(value).toBe(25);
  expect(problems).toHaveLength(4);
});

test("a project may lower the person's limit", () => {
  expect(resolve(turns, sources({ project: 5, user: 10 }))).toMatchObject({ value: 5, problems: [] });
  expect(resolve(turns, sources({ project: 5, user: "unlimited" }))).toMatchObject({
    value: 5,
    problems: [],
  });
});

test("a project may neither raise nor remove the person's limit, and is told how it could be allowed to", () => {
  const raised = resolve(turns, sources({ project: 100, user: 10 }));
  expect(raised.value).toBe(10);
  expect(raised.problems).toEqual([
    'The turn limit 100 from project settings, project.json is ignored: a project may lower your limit of 10, not raise it. To allow it, set "projectMayRaise": true in user.json.',
  ]);
  expect(resolve(turns, sources({ project: "unlimited" })).value).toBe(25);
  expect(resolve(turns, sources({ project: 26 })).value).toBe(25);
});

test("a project may raise the limit when the person's own settings allow it", () => {
  expect(resolve(turns, sources({ project: 100, user: 10, projectMayRaise: true }))).toMatchObject({
    value: 100,
    problems: [],
  });
});

test("settings may give the limit as an object", () => {
  expect(resolve(turns, sources({ user: { max: 7 } })).value).toBe(7);
  expect(resolve(turns, sources({ user: { max: "unlimited" } })).value).toBe("unlimited");
  expect(resolve(turns, sources({ user: {} })).problems).toHaveLength(1);
  expect(resolve(turns, sources({ user: { max: 7, mx: 8 } })).problems).toHaveLength(1);
});
