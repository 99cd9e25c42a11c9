import { NtfyServer } from "@turn-limit/rig";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Ask } from "../../src/core/governor/decision.ts";
import { openNotifier } from "../../src/notify/open-notifier.ts";
import { readTarget } from "../../src/notify/target.ts";
import { named } from "../helpers/named.ts";

const TURNS: Ask = { kind: "ask", id: 1, ...named("turns"), used: 25, max: 25 };
const YES = "Yes, another 25 turns";

const WORKS = "Check that it works, and can be reached from here";
const MAY = "Check the name of the topic, who may read and write it, and TURN_LIMIT_NOTIFY_TOKEN";
const LESS = "It takes no more for now: let less be told, or use a server of your own";

let server: NtfyServer;
let told: string[];
beforeEach(async () => {
  server = await NtfyServer.start();
  told = [];
});
afterEach(() => server.close());

function notifier(
  options: Partial<Parameters<typeof openNotifier>[0]> = {},
  target = server.target("phone"),
) {
  const read = readTarget(target);
  if (typeof read === "string") throw new Error(read);
  return openNotifier({
    targets: [read],
    run: { title: "Claude Code in ~/site", facts: { agent: "Claude Code" } },
    token: undefined,
    secret: undefined,
    env: {},
    warn: (message) => told.push(message),
    ...options,
  });
}

/** Asks a question. `close`: it is withdrawn, with a reason. */
function asks(notifies = notifier(), { ask = TURNS, counts = true } = {}) {
  const withdrawn = new AbortController();
  const [place] = notifies.places;
  const reply = place?.ask(ask, withdrawn.signal).then((given) => {
    // The run has its reply, and says that it counts.
    if (counts) withdrawn.abort();
    return given;
  });
  return { notifies, reply, close: (reason?: string) => withdrawn.abort(reason) };
}

/** Where the buttons of a question send to. */
async function answersOf(number = 0) {
  const { actions: [{ url = "", body = "" } = {}] = [] } = await server.message("phone", number);
  return { url, signed: JSON.parse(body) as Record<string, string> };
}

function send(url: string, message: unknown) {
  return fetch(url, {
    method: "POST",
    body: typeof message === "string" ? message : JSON.stringify(message),
  });
}

test.each([
  [YES, true, "Answered: yes, another 25 turns."],
  ["Yes, 5 more turns", { more: 5 }, "Answered: yes, 5 more turns."],
  ["No", false, "Answered: no."],
])("the button %j is a reply, and the question closes on the phone", async (label, reply, closed) => {
  const asked = asks();
  const message = await server.message("phone");
  expect(message).toMatchObject({
    title: "Claude Code in ~/site",
    message: "Turn limit reached (25/25). Continue?",
    priority: 4,
    tags: ["question"],
  });
  expect(message.actions?.map(({ label }) => label)).toEqual([YES, "Yes, 5 more turns", "No"]);
  await server.until(() => server.listened.length === 1);
  expect(await server.press(message, label)).toBe(200);
  expect(await asked.reply).toEqual(reply);
  const last = await server.message("phone", 1);
  expect(last).toMatchObject({ message: closed, sequence_id: message.sequence_id });
  expect(last.actions).toBeUndefined();
  expect(told).toEqual([]);
  asked.notifies.close();
  await server.until(() => server.listened.length === 0);
});

test("answers come back over a topic that nobody can guess, and each question has one of its own", async () => {
  const one = asks();
  const first = await answersOf(0);
  const other = asks();
  const second = await answersOf(1);
  const topic = new URL(first.url).pathname.slice(1);
  expect(topic).toMatch(/^turn-limit-[0-9a-f]{32}$/);
  expect(second.url).not.toBe(first.url);
  // A button of one question is no answer to another one.
  await server.until(() => server.listened.length === 2);
  await send(second.url, first.signed);
  await expect.poll(() => told.length).toBe(1);
  await send(first.url, first.signed);
  expect(await one.reply).toBe(true);
  await send(second.url, second.signed);
  expect(await other.reply).toBe(true);
  for (const { notifies } of [one, other]) notifies.close();
});

test("a forged answer is refused, and said once; the signed one counts", async () => {
  const asked = asks();
  const { url, signed } = await answersOf();
  const forged = [
    "yes",
    "{",
    "[]",
    "null",
    { ...signed, reply: "no" },
    { ...signed, reply: "unlimited" },
    { ...signed, signature: "" },
    { ...signed, signature: signed.signature?.slice(1) },
    { ...signed, signature: 7 },
    { ...signed, question: "another" },
    { reply: "yes" },
    "x".repeat(4_000),
  ];
  for (const answer of forged) expect((await send(url, answer)).status).toBe(200);
  await send(url, signed);
  expect(await asked.reply).toBe(true);
  expect(told).toEqual([
    `ntfy at ${server.host}: an answer was refused, because it is not signed for the question.`,
  ]);
  asked.notifies.close();
});

test("a replayed answer decides nothing: not twice, and not in the next question", async () => {
  const notifies = notifier();
  const first = asks(notifies);
  const { url, signed } = await answersOf();
  await send(url, signed);
  expect(await first.reply).toBe(true);
  await server.until(() => server.messages("phone").length === 2);
  const second = asks(notifies);
  const next = await answersOf(2);
  await send(url, signed);
  await send(next.url, signed);
  await expect.poll(() => told.length).toBe(1);
  let isAnswered = false;
  void second.reply?.then(() => (isAnswered = true));
  expect(isAnswered).toBe(false);
  second.close();
  expect(await second.reply).toBeUndefined();
  notifies.close();
});

test("an answer after the question closed decides nothing, and says that it was too late", async () => {
  const asked = asks();
  const message = await server.message("phone");
  await server.until(() => server.listened.length === 1);
  asked.close("Answered in the terminal: no.");
  expect(await asked.reply).toBeUndefined();
  expect(await server.message("phone", 1)).toMatchObject({
    message: "Answered in the terminal: no.",
    sequence_id: message.sequence_id,
  });
  await server.press(message, YES);
  expect(await server.message("phone", 2)).toMatchObject({
    message: "Too late. Answered in the terminal: no.",
  });
  await server.until(() => server.listened.length === 0);
  asked.notifies.close();
});

test("two phones at once: the first tap counts, the other one is told that it was too late", async () => {
  const asked = asks();
  const message = await server.message("phone");
  await Promise.all([server.press(message, "No"), server.press(message, "No"), server.press(message, "No")]);
  expect(await asked.reply).toBe(false);
  expect((await server.message("phone", 1)).message).toBe("Answered: no.");
  await server.press(message, YES);
  expect((await server.message("phone", 2)).message).toBe("Too late. Answered: no.");
  await server.until(() => server.listened.length === 0);
  expect(server.messages("phone")).toHaveLength(3);
  asked.notifies.close();
});

test("a tap that was not the first after all says on the phone which reply was", async () => {
  const asked = asks(notifier(), { counts: false });
  const message = await server.message("phone");
  await server.press(message, YES);
  expect(await asked.reply).toBe(true);
  asked.close("Too late: it was answered on the page: no.");
  expect((await server.message("phone", 1)).message).toBe("Too late: it was answered on the page: no.");
  asked.notifies.close();
});

test("a run and a reason as long as they like are asked about, as short as a server takes it", async () => {
  const ask: Ask = { kind: "ask", id: 1, ...named("freeze"), used: 0, max: 0, why: "é".repeat(20_000) };
  const run = { title: `Claude Code in /${"x".repeat(5_000)}`, facts: {} };
  const asked = asks(notifier({ run }), { ask });
  const message = await server.message("phone");
  await server.press(message, "No");
  expect(await asked.reply).toBe(false);
  expect(told).toEqual([]);
  asked.notifies.close();
});

test("what is not encrypted is sent to this machine, and to no proxy", async () => {
  const proxy = await NtfyServer.start();
  const asked = asks(notifier({ env: { HTTP_PROXY: `http://${proxy.host}` }, token: "tk_secret" }));
  await server.press(await server.message("phone"), "No");
  expect(await asked.reply).toBe(false);
  expect(proxy.requests).toEqual([]);
  asked.notifies.close();
  await proxy.close();
});

test("garbage on the stream is passed over", async () => {
  server.fails.listen = "garbage";
  const asked = asks();
  await server.press(await server.message("phone"), "No");
  expect(await asked.reply).toBe(false);
  asked.notifies.close();
});

test("a stream that drops is opened again, and nothing that was sent meanwhile is lost or counted twice", async () => {
  const asked = asks();
  const message = await server.message("phone");
  const { url } = await answersOf();
  await server.until(() => server.listened.length === 1);
  await send(url, "nonsense");
  server.fails.listen = 503;
  server.dropStreams();
  await server.until(() => server.listened.length === 0);
  await server.press(message, YES);
  const requests = server.requests.length;
  await server.until(() => server.requests.length >= requests + 2);
  server.fails.listen = undefined;
  expect(await asked.reply).toBe(true);
  const [first, ...later] = server.requests.filter((request) => request.startsWith("GET"));
  expect(first).toMatch(/\/json\?since=all$/);
  expect(later.at(-1)).toMatch(/\/json\?since=\w{12}$/);
  expect(told).toEqual([
    expect.stringContaining("an answer was refused"),
    `ntfy at ${server.host}: answers cannot be heard for now: the server answered with status 503. ${WORKS}.`,
  ]);
  asked.notifies.close();
});

test("a server whose stream says nothing any more is asked again", async () => {
  await server.close();
  server = await NtfyServer.start({ keepalive: 1_000_000 });
  const asked = asks(notifier({ timing: { silence: 50, reconnectAfter: 1 } }));
  const message = await server.message("phone");
  await server.until(() => server.requests.filter((request) => request.startsWith("GET")).length >= 3);
  await server.press(message, "No");
  expect(await asked.reply).toBe(false);
  asked.notifies.close();
});

test("a stream that is kept alive is not asked again", async () => {
  await server.close();
  server = await NtfyServer.start({ keepalive: 1 });
  const asked = asks();
  const message = await server.message("phone");
  await server.until(() => server.listened.length === 1);
  await server.press(message, "No");
  expect(await asked.reply).toBe(false);
  expect(server.requests.filter((request) => request.startsWith("GET"))).toHaveLength(1);
  asked.notifies.close();
});

test.each<[string, NtfyServer["fails"], string, number]>([
  ["answers with 500", { publish: 500 }, `the server answered with status 500. ${WORKS}`, 3],
  ["has had enough", { publish: 429 }, `the server answered with status 429. ${LESS}`, 3],
  ["refuses", { publish: 403 }, `the server answered with status 403. ${MAY}`, 1],
  ["finds it too large", { publish: 413 }, `the server answered with status 413. ${MAY}`, 1],
  ["hangs", { publish: "hangs", listen: "hangs" }, `the server did not answer within 0.05 s. ${WORKS}`, 1],
])("where the server %s nobody waits for it, and that is told once", async (_, fails, why, attempts) => {
  server.fails = fails;
  const timing = fails.publish === "hangs" ? { within: 50 } : { retryAfter: [1, 1] };
  const notifies = notifier({ timing });
  expect(await asks(notifies).reply).toBeUndefined();
  expect(server.requests.filter((request) => request === "POST /")).toHaveLength(attempts);
  notifies.tell("end", "over");
  await notifies.done();
  expect(told).toEqual([`ntfy at ${server.host}: a notification was not sent: ${why}.`]);
  notifies.close();
});

test("a server that is not there holds nothing, and is named without its topic", async () => {
  const target = server.target("secret-topic");
  await server.close();
  const notifies = notifier({ timing: { retryAfter: [1] } }, target);
  expect(await asks(notifies).reply).toBeUndefined();
  expect(told).toHaveLength(1);
  expect(told[0]).toContain("a notification was not sent: connect ECONNREFUSED");
  expect(told[0]).not.toContain("secret-topic");
  notifies.close();
});

test("where answers may not be read there is no reply, and that is said on the phone, too", async () => {
  server.fails.listen = 403;
  const asked = asks();
  expect(await asked.reply).toBeUndefined();
  expect(await server.message("phone", 1)).toMatchObject({ message: "It cannot be answered here." });
  expect(told).toEqual([
    `ntfy at ${server.host}: answers cannot be heard for now: the server answered with status 403. ${MAY}.`,
  ]);
  asked.notifies.close();
});

test("a server with access control gets the token, and no button has it", async () => {
  await server.close();
  server = await NtfyServer.start({ token: "tk_secret", forEveryone: /^turn-limit-/ });
  const asked = asks(notifier({ token: "tk_secret" }));
  const message = await server.message("phone");
  expect(JSON.stringify(message)).not.toContain("tk_secret");
  await server.until(() => server.listened.length === 1);
  expect(await server.press(message, YES)).toBe(200);
  expect(await asked.reply).toBe(true);
  asked.notifies.close();
  expect(await asks(notifier({ token: "tk_other" })).reply).toBeUndefined();
  await expect
    .poll(() => told.join("\n"))
    .toContain("a notification was not sent: the server answered with status 403.");
});

test("what is only told has no buttons, and is sent before the end is waited for", async () => {
  const notifies = notifier();
  notifies.tell("budget", "Cost limit nearly reached: $4.20/$5.00.");
  notifies.tell("end", "stopped at 25/25 turns");
  await notifies.done();
  expect(server.messages("phone").map(({ message, tags }) => [message, tags])).toEqual(
    expect.arrayContaining([
      ["Cost limit nearly reached: $4.20/$5.00.", ["warning"]],
      ["stopped at 25/25 turns", ["checkered_flag"]],
    ]),
  );
  notifies.close();
});
