import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import {
  createSandbox,
  type PiOptions,
  type Sandbox,
  type ScriptedModel,
  startScriptedModel,
} from "@turn-limit/rig";
import { extension, installedPi } from "../installed-pi.ts";
import { modelCost, projectFiles, story, watchersSettings } from "./story.ts";

/** The scripted model, and a Pi with the extension that will use it. */
export interface Stage extends AsyncDisposable {
  readonly model: ScriptedModel;
  readonly sandbox: Sandbox;
  readonly pi: PiOptions;
}

/** Sets everything up in one temporary folder, which goes away with the stage. `limits` are flags of the extension. */
export async function setStage(
  turnMs: number,
  limits: readonly string[],
  settings: Record<string, unknown> = {},
): Promise<Stage> {
  const model = await startScriptedModel(story(turnMs));
  const sandbox = await createSandbox({ baseUrl: model.baseUrl, settings, modelCost });
  await sandbox.writeUserConfig(watchersSettings);
  await furnish(sandbox);
  const args = ["-e", extension, ...limits];
  return {
    model,
    sandbox,
    pi: { host: installedPi(), sandbox, args, env: staysInside(sandbox) },
    async [Symbol.asyncDispose]() {
      await model.close();
      await sandbox.remove();
    },
  };
}

async function furnish({ root, projectDir }: Sandbox): Promise<void> {
  await mkdir(join(root, "tmp"));
  for (const [name, text] of Object.entries(projectFiles)) await writeFile(join(projectDir, name), text);
}

// With the home one level up, Pi's footer shows ~/project. Pi also keeps a compile cache in the
// temporary folder, whatever that is.
function staysInside({ root }: Sandbox): Record<string, string> {
  const tmp = join(root, "tmp");
  return { HOME: root, USERPROFILE: root, TMPDIR: tmp, TEMP: tmp, TMP: tmp };
}
