type Method = (this: unknown, ...given: never[]) => unknown;

/**
 * An object that is the caller's tool in everything but one method: its class, what its prototype has, what is not
 * enumerable and what is private. The tool itself stays as it is, and its own methods are called on it.
 *
 * Not a copy: a copy would lose what is not the tool's own, for example that its calls must be approved.
 */
export function withMethod<Tool extends object, Name extends keyof Tool>(
  tool: Tool,
  name: Name,
  method: Tool[Name],
): Tool {
  let bound: WeakMap<Method, Method> | undefined;

  // A function stays the object that it is, with its own properties; only that it is called on the tool is new.
  function callOnTool(value: Method): Method {
    bound ??= new WeakMap();
    const known = bound.get(value);
    if (known) return known;
    const onTool = new Proxy(value, {
      apply: (target, self, given) => Reflect.apply(target, self === wrapped ? tool : self, given),
    });
    bound.set(value, onTool);
    return onTool;
  }

  function read(key: PropertyKey): unknown {
    if (key === name) return method;
    const value: unknown = Reflect.get(tool, key, tool);
    return typeof value === "function" && key !== "constructor" ? callOnTool(value as Method) : value;
  }

  // The target is an empty object, because a proxy may not say anything else of a tool that is frozen.
  const wrapped: Tool = new Proxy(Object.create(Object.getPrototypeOf(tool)), {
    get: (_, key) => read(key),
    has: (_, key) => Reflect.has(tool, key),
    set: (_, key, value) => Reflect.set(tool, key, value, tool),
    deleteProperty: (_, key) => Reflect.deleteProperty(tool, key),
    ownKeys: () => Reflect.ownKeys(tool),
    getOwnPropertyDescriptor(_, key) {
      const own = Reflect.getOwnPropertyDescriptor(tool, key);
      if (!own) return undefined;
      return { value: read(key), enumerable: own.enumerable === true, configurable: true, writable: true };
    },
  });
  return wrapped;
}
