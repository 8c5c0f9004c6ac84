// A `command` agent with "input": "json". It replies with the task, and the first line of each outside text.
import { json } from "node:stream/consumers";

const { instructions, data, history = [] } = await json(process.stdin);

// `rouse runs show ID` shows this line while the run is running.
console.error(`${data.length} outside texts, ${history.length} earlier turns`);

console.log(instructions);
for (const { id, label, text, truncated } of data) {
  const [first] = text.split("\n", 1);
  console.log(`- [data ${id}] ${label}: ${first}${truncated ? " (cut)" : ""}`);
}
