// Finds the regular expression literals in a source text.

export type Literal = { readonly line: number; readonly source: string; readonly flags: string };

/** A token is a comment, a text, a template (without what is inserted) or a regular expression. */
const comment = /\/\/[^\n]*|\/\*[^]*?\*\//y;
const text = /"(?:[^"\\\n]|\\[^])*"|'(?:[^'\\\n]|\\[^])*'/y;
const literal = /\/((?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+)\/([dgimsuvy]*)/y;
/** In front of a `/` that divides. */
const value = /[\w$)\]}"'`]$/;
const operatorWords = /(?:^|[^\w$.])(?:return|typeof|case|of|in|await|yield|else)$/;

export function literalsIn(code: string): Literal[] {
  const found: Literal[] = [];
  const open: ("template" | "insertion" | "brace")[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(code);
  };
  while (at < code.length) {
    if (open.at(-1) === "template") {
      if (code[at] === "\\") at += 1;
      else if (code[at] === "`") open.pop();
      else if (code.startsWith("${", at)) {
        open.push("insertion");
        at += 1;
      }
      at += 1;
      continue;
    }
    const before = code.slice(Math.max(0, at - 40), at).trimEnd();
    const isValue = value.test(before) && !operatorWords.test(before);
    const skipped = take(comment) ?? take(text);
    const pattern = skipped || isValue ? null : take(literal);
    if (pattern) {
      const [whole, source = "", flags = ""] = pattern;
      found.push({ line: code.slice(0, at).split("\n").length, source, flags });
      at += whole.length;
    } else if (skipped) at += skipped[0].length;
    else {
      if (code[at] === "`") open.push("template");
      else if (code[at] === "{") open.push("brace");
      else if (code[at] === "}") open.pop();
      at += 1;
    }
  }
  return found;
}
