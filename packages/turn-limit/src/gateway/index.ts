/**
 * A server between agents and the providers of their models, which holds them to limits: for agents in any language.
 *
 * @module
 */
export {
  createGateway,
  createSharedGateway,
  type Gateway,
  type GatewayOptions,
  type RunGateway,
  type SharedGatewayOptions,
} from "./gateway.ts";
export type { Addresses, Profile, Recognised, SeenRequest, Start } from "./profiles/profile.ts";
export type { GatewayRunOptions } from "./run/gateway-run.ts";
export type { GatewaySummary } from "./run/gateway-summary.ts";
