import { claudeCode } from "./claude-code.ts";
import { codex } from "./codex.ts";
import { opencode } from "./opencode.ts";
import type { Profile } from "./profile.ts";

/** The agents that are known by their requests. */
export const PROFILES: readonly Profile[] = [claudeCode, codex, opencode];
