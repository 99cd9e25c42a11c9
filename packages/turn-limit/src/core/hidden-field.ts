/** A field of an object that nobody else can see, and that a copy of the object does not have. */
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
 * Makes such a field. Not a WeakMap: what is in one that has grown old, with an entry for each run or turn, outlives every
 * quick collection of garbage together with all that it refers to, which takes longer than everything else in a short run.
 */
export function newHiddenField<Value>(): HiddenField<Value> {
  // Nothing can be put on what is frozen.
  let ofFrozen: WeakMap<object, Value> | undefined;

  class WithField extends Given {
    #value: Value;

    constructor(given: object, value: Value) {
      super(given);
      this.#value = value;
    }

    static get(of: object): Value | undefined {
      return #value in of ? of.#value : ofFrozen?.get(of);
    }

    static set(of: object, value: Value): void {
      if (#value in of) {
        of.#value = value;
      } else if (Object.isExtensible(of)) {
        new WithField(of, value);
      } else {
        ofFrozen ??= new WeakMap();
        ofFrozen.set(of, value);
      }
    }
  }
  return { get: WithField.get, set: WithField.set };
}
