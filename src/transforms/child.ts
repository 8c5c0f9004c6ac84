// The process that runs transforms: what Node starts. Modules are compiled once for all processes.
import { enableCompileCache } from "node:module";

enableCompileCache();
const { work } = await import("./work.ts");
work();
