export * from "./provider-replies.ts";
export * from "./provider-request.ts";
export * from "./scripted-provider.ts";
