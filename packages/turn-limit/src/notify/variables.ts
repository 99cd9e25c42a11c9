/** Variables of the environment. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The variables with which a person sets notifications, once for all runs. */
export const NOTIFY = {
  /** A place, where none is given. */
  place: "TURN_LIMIT_NOTIFY",
  /** For a server of ntfy. */
  token: "TURN_LIMIT_NOTIFY_TOKEN",
  /** Signs what webhooks get. */
  secret: "TURN_LIMIT_NOTIFY_SECRET",
} as const;

/** What an agent gets of the environment: with the person's token it could answer for the person. */
export function withoutNotifications(env: Env): Env {
  const { [NOTIFY.place]: _place, [NOTIFY.token]: _token, [NOTIFY.secret]: _secret, ...rest } = env;
  return rest;
}
