/** The name of a program without its folder and, on Windows, its extension. */
export function programName(command: string): string {
  return (command.split(/[\\/]/).at(-1) ?? "").replace(/\.(?:exe|cmd|bat|ps1)$/i, "");
}

/** The index of the first argument that is neither an option nor the value of one. `-1`: there is none. */
export function indexOfCommand(args: readonly string[], optionsWithValue: readonly string[]): number {
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return -1;
    if (!arg.startsWith("-")) return at;
    if (optionsWithValue.includes(arg)) at++;
  }
  return -1;
}

/** The arguments before `--`, which are the ones that can be options, and the rest. */
export function optionsAndRest(
  args: readonly string[],
): [options: readonly string[], rest: readonly string[]] {
  const end = args.indexOf("--");
  return end < 0 ? [args, []] : [args.slice(0, end), args.slice(end)];
}

/** The values of an option, given as `--name value`, `--name=value` or, for `-n`, `-nvalue`. */
export function valuesOf(args: readonly string[], ...names: readonly string[]): string[] {
  const values: string[] = [];
  for (const [at, arg] of optionsAndRest(args)[0].entries()) {
    for (const name of names) {
      const value = args[at + 1];
      if (arg === name && value !== undefined) values.push(value);
      else if (name.startsWith("--") && arg.startsWith(`${name}=`)) values.push(arg.slice(name.length + 1));
      else if (!name.startsWith("--") && arg.startsWith(name) && arg !== name)
        values.push(arg.slice(name.length));
    }
  }
  return values;
}

/** The words of a list that is written as one text. */
export function words(list: string): string[] {
  return list.split(" ");
}

/** Options of an agent, by what follows them. */
export interface KnownOptions {
  readonly flags: readonly string[];
  /** One word follows. */
  readonly values: readonly string[];
  /** Words follow, up to the next option. */
  readonly lists?: readonly string[];
}

/** Those of the arguments that are known options, with what follows them. */
export function knownOptionsIn(
  args: readonly string[],
  { flags, values, lists = [] }: KnownOptions,
): string[] {
  const options = optionsAndRest(args)[0];
  const found: string[] = [];
  for (let at = 0; at < options.length; at++) {
    const arg = options[at] ?? "";
    const isAttached = [...values, ...lists].some((name) =>
      name.startsWith("--") ? arg.startsWith(`${name}=`) : arg !== name && arg.startsWith(name),
    );
    if (flags.includes(arg) || isAttached) found.push(arg);
    else if (values.includes(arg) && at + 1 < options.length) found.push(arg, options[++at] as string);
    else if (lists.includes(arg)) {
      found.push(arg);
      while (at + 1 < options.length && !options[at + 1]?.startsWith("-"))
        found.push(options[++at] as string);
    }
  }
  return found;
}
