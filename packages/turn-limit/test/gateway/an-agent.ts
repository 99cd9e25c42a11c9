import { onTestFinished } from "vitest";
import type { Profile } from "../../src/gateway/agents/profile.ts";
import { createGateway, type GatewayOptions } from "../../src/gateway/gateway.ts";

/** An agent that says in headers what its requests are. */
export const PROFILE: Profile = {
  name: "Test Agent",
  id: "test-agent",
  tested: ["1.0"],
  waitsFor: 60_000,
  version: ({ "user-agent": agent }) => /^test-agent\/(.*)$/.exec(agent ?? "")?.[1],
  lacks: ({ "x-kind": kind }) => (kind === undefined ? "the header x-kind" : undefined),
  recognise: ({ headers: { "x-kind": kind, "x-talk": talk = "main" } }) =>
    kind === "title"
      ? { kind: "aside" }
      : kind === "compaction"
        ? { kind: "compaction" }
        : kind === "turn" || kind === "sub"
          ? { kind: "turn", conversation: talk, isSubAgent: kind === "sub" }
          : undefined,
};

let number = 0;

/** An agent behind a gateway with these limits. */
export async function agent(options: GatewayOptions, provider: { address: string }) {
  const warnings: string[] = [];
  const gateway = await createGateway({ onWarning: (message) => warnings.push(message), ...options });
  let summary: ReturnType<typeof gateway.close> | undefined;
  const close = () => {
    summary ??= gateway.close();
    return summary;
  };
  onTestFinished(async () => void (await close()));
  const base = gateway.addresses.to(provider.address);
  const send = async (
    kind: string | null = "turn",
    headers: Record<string, string> = {},
    content: string = `message ${number++}`,
    signal?: AbortSignal,
  ) => {
    const response = await fetch(`${base}/v1/messages`, {
      method: "POST",
      headers: {
        "user-agent": "test-agent/1.0",
        ...(kind !== null && { "x-kind": kind }),
        "content-type": "application/json",
        ...headers,
      },
      body: JSON.stringify({
        model: headers["x-model"] ?? "claude-sonnet-4-5",
        messages: [{ role: "user", content }],
        tools: [{ name: "x" }],
      }),
      ...(signal && { signal }),
    });
    const body = (await response.json()) as { content?: { text: string }[]; error?: { message: string } };
    return { status: response.status, text: body.content?.[0]?.text ?? body.error?.message ?? "" };
  };
  return { send, close, base, gateway, warnings };
}

export const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

export async function times<T>(count: number, what: () => Promise<T>): Promise<T[]> {
  const results: T[] = [];
  for (let at = 0; at < count; at += 1) results.push(await what());
  return results;
}
