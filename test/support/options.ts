// The options of a command for developers. `--help` and unknown options print the usage.
import { parseArgs, type ParseArgsConfig } from "node:util";

type Options = NonNullable<ParseArgsConfig["options"]>;

export function readOptions<const Given extends Options>(usage: string, options: Given) {
  try {
    const { values } = parseArgs({ options: { ...options, help: { type: "boolean" } } });
    if ("help" in values && values.help === true) {
      console.log(usage);
      process.exit(0);
    }
    return values;
  } catch (fault) {
    console.error(`${fault instanceof Error ? fault.message : String(fault)}\n\n${usage}`);
    process.exit(2);
  }
}
