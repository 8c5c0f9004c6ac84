// Builds texts that make a regular expression work hard: for each part that may repeat without end, what leads to it,
// many repetitions, and an end that does not match.

type Node =
  | { readonly kind: "unit"; readonly source: string }
  | { readonly kind: "group"; readonly branches: readonly Node[][]; readonly isAssertion: boolean }
  | { readonly kind: "repeat"; readonly body: Node; readonly least: number; readonly isEndless: boolean };

export type Attack = { readonly prefix: string; readonly pump: string; readonly suffix: string };

const quantifier = /(?:([*+?])|\{(\d+)(?:(,)(\d*))?\})\??/y;
const unit =
  /\\(?:[pP]\{[^}]*\}|u\{[^}]*\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\w|k<\w+>|c[A-Za-z]|.)|[^\\]/suy;

function parsePattern(source: string): Node[][] {
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(source);
  };
  const branches = (): Node[][] => {
    const all: Node[][] = [[]];
    while (at < source.length && source[at] !== ")") {
      if (source[at] === "|") {
        all.push([]);
        at += 1;
      } else all.at(-1)?.push(repeated(atom()));
    }
    return all;
  };
  const atom = (): Node => {
    if (source[at] === "(") {
      const opening = match(/\((?:\?(?::|<?[=!]|<\w+>|[a-z-]*:))?/y)?.[0] ?? "(";
      at += opening.length;
      const inner = branches();
      at += 1;
      return { kind: "group", branches: inner, isAssertion: /[=!]$/.test(opening) };
    }
    const end = source[at] === "[" ? endOfClass(source, at) : at + (match(unit)?.[0].length ?? 1);
    const taken = source.slice(at, end);
    at = end;
    return { kind: "unit", source: taken };
  };
  const repeated = (body: Node): Node => {
    const found = match(quantifier);
    if (!found) return body;
    at += found[0].length;
    const [, sign, from, comma, to] = found;
    const least = sign ? (sign === "+" ? 1 : 0) : Number(from);
    const most = sign ? (sign === "?" ? 1 : Infinity) : comma ? (to ? Number(to) : Infinity) : Number(from);
    return { kind: "repeat", body, least, isEndless: most > 50 };
  };
  return branches();
}

/** Classes of the flag `v` nest. */
function endOfClass(source: string, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; at++) {
    if (source[at] === "\\") at++;
    else if (source[at] === "[") depth++;
    else if (source[at] === "]" && --depth === 0) return at + 1;
  }
  return source.length;
}

/** White space and signs first: parts that follow one another tend to share them. */
const candidates = [
  ...Array.from(
    " \t\n\r_-a0A.,:;\"'`<>[]{}()/\\|*#=&!@+~^$%?éÀ١中ｱ\u00a0\u200b\u200d\ufe0f\u00ad😀👨\udb40\udc01",
  ),
  "\ud800",
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
];
const mostSamples = 6;

export function attacksOn(source: string, flags: string): Attack[] {
  const plain = flags.replace(/[gy]/g, "");
  const charactersOf = new Map<string, string[]>();
  const characters = (piece: string): string[] => {
    const known = charactersOf.get(piece);
    if (known) return known;
    const found = /^[$^]$|^\\[bB]$|^\\[1-9k]/.test(piece) ? [""] : matching(piece, plain);
    charactersOf.set(piece, found);
    return found;
  };
  /** Texts that a node matches. */
  const samples = (node: Node): string[] => {
    if (node.kind === "unit") return characters(node.source).slice(0, mostSamples);
    if (node.kind === "repeat") {
      const inner = samples(node.body);
      return (node.least > 0 ? [] : [""]).concat(inner.map((each) => each.repeat(Math.max(1, node.least))));
    }
    if (node.isAssertion) return [""];
    return [...new Set(node.branches.flatMap((branch) => sequences(branch)))].slice(0, 2 * mostSamples);
  };
  const sequences = (nodes: readonly Node[]): string[] =>
    nodes.reduce<string[]>(
      (texts, node) => {
        const next = samples(node);
        const width = Math.max(texts.length, next.length);
        return Array.from(
          { length: width },
          (_, at) => (texts[at % texts.length] ?? "") + (next[at % next.length] ?? ""),
        );
      },
      [""],
    );
  const shortest = (nodes: readonly Node[]): string =>
    nodes.map((node) => samples(node).toSorted((one, other) => one.length - other.length)[0] ?? "").join("");

  const attacks: Attack[] = [];
  const walk = (branch: readonly Node[], prefixes: readonly string[]): void => {
    for (const [at, node] of branch.entries()) {
      const before = branch.slice(0, at);
      const leads = [
        ...new Set(
          prefixes.flatMap((prefix) => [prefix + shortest(before), prefix + (sequences(before)[0] ?? "")]),
        ),
      ];
      const inner = node.kind === "repeat" ? node.body : node;
      if (node.kind === "repeat" && node.isEndless)
        for (const prefix of leads)
          for (const pump of samples(node.body).slice(0, 2 * mostSamples)) add(prefix, pump);
      if (inner.kind === "group") for (const each of inner.branches) walk(each, leads);
    }
  };
  const add = (prefix: string, pump: string): void => {
    if (pump === "") return;
    for (const suffix of ["", "\u0001", "!\n", "a"]) attacks.push({ prefix, pump, suffix });
    if (prefix !== "")
      for (const pumped of [prefix, prefix + pump])
        attacks.push({ prefix: "", pump: pumped, suffix: "\u0001" });
  };
  for (const branch of parsePattern(source)) walk(branch, [""]);
  return [...new Map(attacks.map((each) => [JSON.stringify(each), each])).values()];
}

function matching(piece: string, flags: string): string[] {
  const pattern = new RegExp(`^(?:${piece})$`, flags);
  return [...new Set(candidates.filter((each) => pattern.test(each)))];
}
