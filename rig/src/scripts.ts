import { turnOf } from "./model-request.ts";
import { bash, calls, type Reply, says, type ToolCall } from "./replies.ts";
import type { Script } from "./scripted-model.ts";

/** Never ends by itself: each answer is another tool call, by default a harmless `echo turn <n>`. */
export function endless(toolCall?: ToolCall): Script {
  return (request) => calls(toolCall ?? echoTurn(turnOf(request)));
}

/** Ends each prompt at its n-th turn: n − 1 turns with a tool call, then text. */
export function endsAfter(turns: number, text = "All done."): Script {
  return (request) => {
    const turn = turnOf(request);
    return turn >= turns ? says(text) : calls(echoTurn(turn));
  };
}

/** Never ends by itself, and makes `width` tool calls at once in every answer. */
export function parallel(width: number): Script {
  return (request) => {
    const turn = turnOf(request);
    return calls(...Array.from({ length: width }, (_, call) => bash(`echo turn ${turn} call ${call + 1}`)));
  };
}

/** Gives the replies one request after the other, retries included, and then follows `then`. */
export function sequence(replies: readonly Reply[], then: Script = () => says("All done.")): Script {
  return (request) => replies[request.index - 1] ?? then(request);
}

function echoTurn(turn: number): ToolCall {
  return bash(`echo turn ${turn}`);
}
