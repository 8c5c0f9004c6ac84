// Reading unit files of systemd.

/** Each section's settings in their order; a setting may be given several times. Throws on any other line. */
export function readUnit(text: string): Map<string, Map<string, string[]>> {
  const unit = new Map<string, Map<string, string[]>>();
  let section: Map<string, string[]> | undefined;
  for (const [at, line] of text.split("\n").entries()) {
    if (line === "" || line.startsWith("#")) continue;
    const [, title] = /^\[(\w+)\]$/.exec(line) ?? [];
    const [, name, value = ""] = /^([A-Z]\w*)=(.*)$/.exec(line) ?? [];
    if (title !== undefined) {
      if (unit.has(title)) throw new Error(`line ${at + 1}: [${title}] is there already`);
      unit.set(title, (section = new Map()));
    } else if (name === undefined || !section || /\s$/.test(line)) throw new Error(`line ${at + 1}: ${line}`);
    else section.set(name, [...(section.get(name) ?? []), value]);
  }
  return unit;
}
