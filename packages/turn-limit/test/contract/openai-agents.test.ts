import { host } from "../hosts/openai-agents.ts";
import { testAdapter } from "./testAdapter.ts";

testAdapter(host);
