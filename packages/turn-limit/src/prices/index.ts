/**
 * What the models that people use cost. Needs the package `@pydantic/genai-prices`, which keeps their prices.
 *
 * @module
 */
export type { Model } from "../core/meter/model.ts";
export { price } from "./price.ts";
