/**
 * What a caller gave of the host's options, as it was given: so the host infers from it what it would infer without us. What
 * the host does not know is refused, as the host would.
 */
export type Given<Own extends Host, Host> = Own & Unknown<Own, Host>;

type Unknown<Own, Host> = { readonly [Name in Exclude<keyof Own, KeyOf<Host>>]: never };

/** The keys of every member of a union. */
type KeyOf<Host> = Host extends unknown ? keyof Host : never;
