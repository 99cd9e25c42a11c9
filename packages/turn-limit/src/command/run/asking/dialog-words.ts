import type { Ask, Reply } from "../../../core/governor/decision.ts";
import { CONTINUE, capitalised, reachedText } from "../../../core/words.ts";
import type { DialogWords } from "../../../gateway/requests/agent-dialog.ts";
import { measureOf, replyIn } from "../../../pools/listing/typed-replies.ts";
import { replyText } from "../../../pools/listing/words.ts";
import { exampleOf } from "../../pool-measures.ts";

/** What can be chosen. Anything else is typed. */
const CHOICES: readonly { readonly reply: Reply; readonly description: string }[] = [
  { reply: true, description: "The agent goes on." },
  { reply: "wrap-up", description: "The agent is told to finish now." },
  { reply: false, description: "The run ends here." },
];

/** How a question is asked in the dialog of an agent. */
export const dialogWords: DialogWords = {
  question(question, unread) {
    const text = [
      ...(unread === undefined ? [] : [`${JSON.stringify(unread)} is not a reply.`]),
      reachedText(question),
      CONTINUE,
      ...(question.why === undefined
        ? [`Or type how much more, such as ${exampleOf(measureOf(question))}.`]
        : []),
    ];
    return {
      text: text.join(" "),
      options: choicesFor(question).map(({ label, description }) => ({ label, description })),
    };
  },

  reply(said, question) {
    const replies = said.map((text) => replyTo(text.trim(), question));
    return replies.includes(false) ? false : replies.findLast((reply) => reply !== undefined);
  },
};

function replyTo(text: string, question: Ask): Reply | undefined {
  const choice = choicesFor(question).find(({ label }) => label === text);
  return choice ? choice.reply : replyIn(text, question);
}

function choicesFor(question: Ask) {
  return CHOICES.filter(({ reply }) => reply !== "wrap-up" || question.why === undefined).map((choice) => ({
    ...choice,
    label: capitalised(replyText(choice.reply, question)),
  }));
}
