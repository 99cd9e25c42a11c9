import { host } from "../hosts/langchain.ts";
import { testAdapter } from "./testAdapter.ts";

testAdapter(host);
