/** A sample as Prometheus understands it. */
export interface ReadSample {
  name: string;
  labels: Record<string, string>;
  value: number;
}

const NAME = /[a-zA-Z_:][a-zA-Z0-9_:]*/y;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\]|\\[\\n"])*)"/y;
const VALUE = /^ (-?\d+(?:\.\d+)?(?:e[+-]?\d+)?|[+-]Inf|NaN)$/;

/**
 * Reads Prometheus' text format 0.0.4 more strictly than Prometheus: each name once with its help and its type before its
 * samples, counters that end in `_total`, no sample twice, a line feed at the end of each line.
 */
export function readMetrics(text: string): ReadSample[] {
  if (text !== "" && !text.endsWith("\n")) throw new Error("The last line does not end.");
  const samples: ReadSample[] = [];
  const seen = new Set<string>();
  let helped = "";
  let family = "";
  for (const line of text.split("\n").slice(0, -1)) {
    const help = /^# HELP (\S+) .+$/.exec(line);
    const type = /^# TYPE (\S+) (counter|gauge)$/.exec(line);
    if (help) helped = help[1] ?? "";
    else if (type) {
      family = type[1] ?? "";
      if (family !== helped) throw new Error(`${family} has no help.`);
      if ((type[2] === "counter") !== family.endsWith("_total"))
        throw new Error(`${family} is no ${type[2]}.`);
      once(`family ${family}`, seen);
    } else {
      const sample = readSample(line);
      if (sample.name !== family) throw new Error(`${sample.name} stands below ${family}.`);
      once(JSON.stringify([sample.name, Object.entries(sample.labels).sort()]), seen);
      samples.push(sample);
    }
  }
  return samples;
}

function once(what: string, seen: Set<string>): void {
  if (seen.has(what)) throw new Error(`${what} stands there twice.`);
  seen.add(what);
}

function readSample(line: string): ReadSample {
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray => {
    pattern.lastIndex = at;
    const found = pattern.exec(line);
    if (!found) throw new Error(`Not understood at ${at}: ${line}`);
    at = pattern.lastIndex;
    return found;
  };
  const [name] = next(NAME);
  const labels: Record<string, string> = {};
  if (line[at] === "{") {
    do {
      at++;
      const [, label = "", value = ""] = next(LABEL);
      if (Object.hasOwn(labels, label)) throw new Error(`${label} stands there twice: ${line}`);
      labels[label] = value.replace(/\\(.)/g, (_, escaped) => (escaped === "n" ? "\n" : escaped));
    } while (line[at] === ",");
    if (line[at++] !== "}") throw new Error(`The labels do not end: ${line}`);
  }
  const value = VALUE.exec(line.slice(at))?.[1];
  if (value === undefined) throw new Error(`No value: ${line}`);
  return { name, labels, value: Number(value.replace("Inf", "Infinity")) };
}
