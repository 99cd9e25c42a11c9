import { host } from "../hosts/pi-agent-core.ts";
import { testAdapter } from "./testAdapter.ts";

testAdapter(host);
