import { describe, test } from "node:test";
import { testAdapter } from "turn-limit/testing";
import { host } from "./scripted-host.ts";

testAdapter(host, { describe, test });
