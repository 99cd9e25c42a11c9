import type { Replies } from "../../src/ui/question/replies.ts";

/** Nobody hears what the person does while a question is open. */
export const unheard: Replies = { repliedToUs() {}, repliedElsewhere() {}, ourQuestionCloses() {} };
