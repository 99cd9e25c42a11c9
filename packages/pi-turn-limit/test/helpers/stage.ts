import { isAbsolute } from "node:path";
import { fileURLToPath } from "node:url";
import {
  createSandbox,
  openRpc,
  openTui,
  type PiHost,
  type PiOptions,
  type PiResult,
  type RpcPi,
  runJson,
  runPrint,
  type Sandbox,
  type SandboxOptions,
  type Script,
  type ScriptedModel,
  startScriptedModel,
  type TuiOptions,
  type TuiPi,
} from "@turn-limit/rig";

/** The package folder, as a person gives it to `pi -e`. */
const extension = fileURLToPath(new URL("../..", import.meta.url));
const fixtures = new URL("../fixtures/", import.meta.url);

/** How a Pi is started on the stage: with the extension, and what else the test is about. */
export interface CastOptions extends Pick<PiOptions, "args" | "env" | "session"> {
  /** What a terminal has to show before the test begins, where that is not Pi's editor. */
  ready?: string;
  /** Another build of the extension than the package's own. */
  build?: string;
  /** The `--max-turns` flag. */
  maxTurns?: number | string;
  /** The `--turn-grace` flag. */
  turnGrace?: number | string;
  /** The `--max-steps` flag. */
  maxSteps?: number | string;
  /** Extensions that are loaded beside this one: fixtures by their names, others by their paths. */
  beside?: readonly string[];
}

/** A run to its end, which is over by then or has hung. */
export interface RunCastOptions extends CastOptions {
  timeoutMs?: number;
}

/** What is on the stage besides the model. */
export interface Furnishing extends Omit<SandboxOptions, "baseUrl"> {
  /**
   * Further extensions, by path or as a fixture's name, that are installed together with this one, so that the sessions
   * have them, too, that a session starts. Left out: this one is given to Pi with `-e`, and its sub-agents lack it.
   */
  installed?: readonly string[];
}

/** A scripted model and a sandbox, with every Pi that was started in it. */
export interface Stage extends AsyncDisposable {
  readonly model: ScriptedModel;
  readonly sandbox: Sandbox;
  print(prompt: string | readonly string[], cast?: RunCastOptions): Promise<PiResult>;
  json(prompt: string | readonly string[], cast?: RunCastOptions): Promise<PiResult>;
  rpc(cast?: CastOptions): Promise<RpcPi>;
  tui(cast?: CastOptions & Pick<TuiOptions, "cols" | "rows">): Promise<TuiPi>;
}

/** Sets the stage for one test. Everything on it is gone when the test is over. */
export async function setStage(
  host: PiHost,
  script: Script,
  { installed, settings, ...furnishing }: Furnishing = {},
): Promise<Stage> {
  const model = await startScriptedModel(script);
  const extensions = installed && [extension, ...installed.map(pathOf)];
  const sandbox = await createSandbox({
    ...furnishing,
    settings: { ...settings, ...(extensions && { extensions }) },
    baseUrl: model.baseUrl,
  });
  const onStage: AsyncDisposable[] = [];

  const start = ({
    build = extension,
    maxTurns,
    turnGrace,
    maxSteps,
    beside = [],
    args = [],
    ...rest
  }: CastOptions = {}): PiOptions => ({
    ...rest,
    host,
    sandbox,
    args: [
      ...(installed ? [] : ["-e", build]),
      ...beside.flatMap((name) => ["-e", pathOf(name)]),
      ...(maxTurns === undefined ? [] : ["--max-turns", `${maxTurns}`]),
      ...(turnGrace === undefined ? [] : ["--turn-grace", `${turnGrace}`]),
      ...(maxSteps === undefined ? [] : ["--max-steps", `${maxSteps}`]),
      ...args,
    ],
  });

  async function keep<T extends AsyncDisposable>(starting: Promise<T>): Promise<T> {
    const started = await starting;
    onStage.push(started);
    return started;
  }

  return {
    model,
    sandbox,
    print: (prompt, cast) => runPrint({ ...start(cast), prompt }),
    json: (prompt, cast) => runJson({ ...start(cast), prompt }),
    rpc: (cast) => keep(openRpc(start(cast))),
    tui: (cast) => keep(openTui(start(cast))),
    async [Symbol.asyncDispose]() {
      for (const pi of onStage) await pi[Symbol.asyncDispose]();
      await model.close();
      await sandbox.remove();
    },
  };
}

function pathOf(name: string): string {
  return isAbsolute(name) ? name : fileURLToPath(new URL(`${name}.ts`, fixtures));
}
