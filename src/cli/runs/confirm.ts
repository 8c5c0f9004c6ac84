// A question with yes or no for the person at the terminal. Loaded only when it is asked.
import { confirm } from "@clack/prompts";
import type { Terminal } from "../terminal/person.ts";

/** False also when the person gives up. */
export const confirmed = async ({ input, output }: Terminal, message: string): Promise<boolean> =>
  (await confirm({ message, initialValue: false, input, output })) === true;
