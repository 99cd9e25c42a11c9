import type { Replies } from "../../src/display/question/question.ts";

/** Nobody hears what the person does while a question is open. */
export const unheard: Replies = { repliedToUs() {}, repliedElsewhere() {}, ourQuestionCloses() {} };
