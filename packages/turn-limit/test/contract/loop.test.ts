import { host } from "../hosts/loop.ts";
import { testAdapter } from "./testAdapter.ts";

testAdapter(host);
