import { messageOf } from "../../core/errors/message-of.ts";
import { questionOf } from "../../core/limits/boundary.ts";
import { TIMING } from "../../notify/channel.ts";
import { openNotifier } from "../../notify/open-notifier.ts";
import type { NotifySettings } from "../../notify/settings.ts";
import type { Env } from "../../notify/variables.ts";
import type { Store } from "../../pools/ledger/store.ts";
import { pause } from "../../run/pause.ts";
import { runInfo } from "../../run/run-info.ts";
import { CommandError } from "../command-error.ts";
import { makeChange } from "../pools/changes.ts";
import { Questions } from "../run/asking/questions.ts";
import type { Notices } from "../run/notices.ts";
import type { AskParked } from "./watch-parked.ts";

/** Asks the questions of parked runs in the places for notifications. The first answer counts, wherever it is given. */
export function askElsewhere(store: Store, settings: NotifySettings, env: Env, notices: Notices): AskParked {
  return async ({ id, name, record, run, question }, withdrawn, closing) => {
    if (!question?.identity) return;
    const { identity } = question;
    const notifier = openNotifier({
      ...settings,
      ...{ env, run: { title: name, facts: { agent: run.agent, folder: run.folder ?? null } } },
      warn: (message) => notices.tell(message),
    });
    const decided = new AbortController();
    const over = AbortSignal.any([withdrawn, closing, decided.signal]);
    const questions = new Questions(notifier.places, notices);
    const ask = { ...questionOf({ ...question, identity }), kind: "ask", id: 1 } as const;
    try {
      const reply = await questions.ask(ask, over, runInfo({ id, name }));
      if (reply === "unanswered") return;
      const { where } = questions;
      await makeChange(store, record, { kind: "answer", question: question.id, reply }, { where, to: name });
      decided.abort();
    } catch (error) {
      // Somebody else was first.
      decided.abort(messageOf(error));
      if (!(error instanceof CommandError)) throw error;
    } finally {
      await notifier.done();
      // For as long as whoever answers too late is told so.
      await pause(TIMING.tooLateFor, closing);
      notifier.close();
    }
  };
}
