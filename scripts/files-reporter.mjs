// A reporter for `node --test`: the test files in which something failed, one a line.
export default async function* failedFiles(events) {
  const seen = new Set();
  for await (const { type, data } of events) {
    // The summary names the file that was run; a file that died has none and is named by its own failure.
    const hasFailed =
      (type === "test:summary" && !data.success) ||
      (type === "test:fail" && data.nesting === 0 && /\.test\.\w+$/.test(data.file ?? ""));
    if (!hasFailed || data.file === undefined || seen.has(data.file)) continue;
    seen.add(data.file);
    yield `${data.file}\n`;
  }
}
