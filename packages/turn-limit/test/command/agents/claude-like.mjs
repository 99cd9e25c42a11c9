// @ts-nocheck: it runs as it is.
// Talks as Claude Code does: calls a tool in each turn until it is answered with a text, or with an error.
// Usage: claude-like.mjs [-p] [slow] [how many turns at most] [exit code at the end]
const isSlow = process.argv.includes("slow");
const [most = isSlow ? "100000" : "100", code = "0"] = process.argv
  .slice(2)
  .filter((word) => /^\d+$/.test(word));
process.on("SIGINT", () => process.exit(0));
const headers = {
  "content-type": "application/json",
  "user-agent": "claude-cli/2.1.325 (external, sdk-cli)",
  "x-claude-code-session-id": "s1",
};
const messages = [{ role: "user", content: [{ type: "text", text: "go on" }] }];
process.on("SIGTERM", () => process.exit(5));
for (let turn = 1; turn <= Number(most); turn += 1) {
  const response = await fetch(`${process.env.ANTHROPIC_BASE_URL}/v1/messages?beta=true`, {
    method: "POST",
    headers,
    body: JSON.stringify({
      model: "claude-sonnet-4-5",
      max_tokens: 100,
      tools: [{ name: "look" }],
      messages,
    }),
  });
  const answer = await response.json();
  const [block] = answer.content ?? [];
  if (block?.type !== "tool_use") {
    console.log(`${response.status} ${block?.text ?? answer.error.message}`);
    process.exit(response.ok ? 0 : 1);
  }
  if (isSlow) await new Promise((resolve) => setTimeout(resolve, 250));
  const result = { type: "tool_result", tool_use_id: block.id, content: "nothing" };
  messages.push({ role: "assistant", content: answer.content }, { role: "user", content: [result] });
}
process.exit(Number(code));
