import { host } from "../hosts/mastra.ts";
import { testAdapter } from "./testAdapter.ts";

testAdapter(host);
