/** Who takes part in pools: an id, and a name for people. */
export interface MemberName {
  readonly id: string;
  readonly name: string;
}

const members = new WeakMap<object, MemberName>();

/** Notes which member a run is, so that whoever watches its pool is told who asks. */
export function noteMember(run: object, member: MemberName): void {
  members.set(run, member);
}

/** The member that a run is, if that is known. */
export function memberOf(run: object | undefined): MemberName | undefined {
  return run && members.get(run);
}
