/** A field of an object that nobody else can see, and that a copy of the object does not have. Only for objects that we made. */
export interface HiddenField<Value> {
  get(of: object): Value | undefined;
  set(of: object, value: Value): void;
}

// A constructor that returns an object makes it the one that the fields of a derived class are put on.
const Given = class {
  constructor(given: object) {
    // biome-ignore lint/correctness/noConstructorReturn: that is what it is for
    return given;
  }
};

/**
 * Makes such a field. Not a WeakMap: with entries for each run or turn, every collection of garbage has to look at all of
 * them, which takes longer than everything else in a short run.
 */
export function newHiddenField<Value>(): HiddenField<Value> {
  class WithField extends Given {
    #value: Value;

    constructor(given: object, value: Value) {
      super(given);
      this.#value = value;
    }

    static get(of: object): Value | undefined {
      return #value in of ? of.#value : undefined;
    }

    static set(of: object, value: Value): void {
      if (#value in of) of.#value = value;
      else new WithField(of, value);
    }
  }
  return { get: WithField.get, set: WithField.set };
}
