import type { AdapterOptions } from "../run/options.ts";
import { cannotBeDone } from "./command-error.ts";

const PACKAGE = "@pydantic/genai-prices";

/** The prices of models, if the package that keeps them is installed. `isNeeded`: a limit cannot hold without them. */
export async function loadPrice(isNeeded: boolean): Promise<AdapterOptions["price"]> {
  try {
    return (await import("../prices/index.ts")).price;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_MODULE_NOT_FOUND") throw error;
    if (!isNeeded) return undefined;
    throw cannotBeDone(
      `A cost limit needs the prices of ${PACKAGE}, which is not installed. Install it: npm install ${PACKAGE}.`,
    );
  }
}

/** What a person is told about a model without a price. */
export const HOW_TO_PRICE =
  "--unpriced says what is done about it: warn lets it pass, stop ends the run, and with tokens the token limit holds alone.";
