// A reporter for `node --test`: each test file as a line of JSON, with whether it passed and how long it took.
export default async function* files(events) {
  const dead = new Set();
  for await (const { type, data } of events) {
    // The summary names the file that was run; a file that died has no summary and is named by its own failure.
    if (type === "test:summary" && data.file !== undefined)
      yield line({ file: data.file, passed: data.success, ms: data.duration_ms });
    const hasDied = type === "test:fail" && data.nesting === 0 && /\.test\.\w+$/.test(data.file ?? "");
    if (!hasDied || dead.has(data.file)) continue;
    dead.add(data.file);
    yield line({ file: data.file, passed: false, ms: 0 });
  }
}

const line = (about) => `${JSON.stringify(about)}\n`;
