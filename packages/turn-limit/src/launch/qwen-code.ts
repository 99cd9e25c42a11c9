import { join } from "node:path";
import { objectIn } from "../gateway/protocols/parts-of-json.ts";
import type { Json } from "../gateway/protocols/protocol.ts";
import type { Launcher } from "./launcher.ts";
import { settingsIn } from "./settings-files.ts";

/** Qwen Code finds the gateway in its environment, unless its settings name an address for a model. */
export const launchQwenCode: Launcher = {
  name: "Qwen Code",
  commands: ["qwen"],
  packages: ["@qwen-code/qwen-code"],
  isHeadless: () => false,

  problem({ env }, files) {
    const hasAddress = (settings: Json) =>
      Object.values(objectIn(settings.modelProviders))
        .flat()
        .some((model) => objectIn(model).baseUrl !== undefined);
    const paths = [
      join(env.QWEN_HOME || join(files.home, ".qwen"), "settings.json"),
      join(files.folder, ".qwen", "settings.json"),
    ];
    const path = paths.find((path) => hasAddress(settingsIn(files.read(path))));
    return (
      path &&
      `the addresses of modelProviders in ${path} win over OPENAI_BASE_URL, so its requests would bypass the gateway`
    );
  },
};
