// A timeline as lines for people. Whatever it holds from outside drives no terminal.
import { largest } from "../../core/largest.ts";
import type { Detail, Step } from "../../timeline/step.ts";
import { durationWords } from "../../timeline/words.ts";
import type { Style } from "../terminal/output.ts";
import { fit, safeLine, safeText, widthOf, wrap } from "../terminal/text.ts";

export type LineOptions = {
  /** The terminal's width; null: lines are not wrapped. */
  columns: number | null;
  paint: (style: Style, text: string) => string;
  /** Every line of a reply. */
  isFull: boolean;
  /** Also the headers of the request. */
  headers: boolean;
};

const clockWidth = 12;
const sinceWidth = 10;
const titleWidth = 11;
const indent = clockWidth + sinceWidth + 5;
const leastText = 30;
const longestWidth = 110;

/** UTC. */
export const clockWords = (at: number): string => new Date(at).toISOString().slice(11, 23);
export const dayWords = (at: number): string => new Date(at).toISOString().slice(0, 10);

const marks: Readonly<Record<Step["state"], readonly [mark: string, style: Style | null]>> = {
  done: ["✓", "green"],
  failed: ["✗", "red"],
  now: ["▸", "yellow"],
  "to-come": ["○", "dim"],
  none: ["–", "dim"],
  waited: ["·", "dim"],
};

/** `previous`: when the step above it happened; the clock is not repeated. */
export function stepLines(step: Step, previous: number | null, options: LineOptions): string[] {
  const { columns } = options;
  const from = indent + titleWidth + 1;
  const isNarrow = columns !== null && columns < from + leastText;
  const at = isNarrow ? 4 : from;
  const text = lines(safeLine(step.text), textWidth(columns, at));
  const quiet = (words: string) => (isQuiet(step) && words !== "" ? options.paint("dim", words) : words);
  const [first = "", ...others] = isNarrow ? ["", ...text] : text;
  return [
    `${headOf(step, previous, options)} ${quiet(first)}`.trimEnd(),
    ...others.map((line) => " ".repeat(at) + quiet(line)),
    ...detailLines(step, { ...options, from: isNarrow ? 6 : indent + 2 }),
  ];
}

const isQuiet = ({ state }: Step): boolean => state === "none" || state === "to-come" || state === "waited";

/** Clock, time since the step before, mark and title. */
function headOf(step: Step, previous: number | null, { paint }: LineOptions): string {
  const { at, sinceMs, state, title } = step;
  const isNew = at !== null && at !== previous;
  const [mark, style] = marks[state];
  const painted = (words: string, as: Style | null) =>
    words === "" || as === null ? words : paint(as, words);
  const clock = isNew ? clockWords(at) : "";
  const since = isNew && sinceMs !== null ? `+${durationWords(sinceMs)}` : "";
  const titleStyle = isQuiet(step) ? "dim" : state === "done" ? "bold" : style;
  return [
    painted(clock, "dim") + " ".repeat(clockWidth - clock.length),
    " ".repeat(Math.max(0, sinceWidth - since.length)) + painted(since, "dim"),
    `  ${painted(mark, style)}  `,
    painted(title, titleStyle) + " ".repeat(Math.max(0, titleWidth - title.length)),
  ].join("");
}

const lines = (text: string, width: number): string[] =>
  width === Number.MAX_SAFE_INTEGER ? [text] : wrap(text, width);

const textWidth = (columns: number | null, from: number): number =>
  columns === null ? Number.MAX_SAFE_INTEGER : Math.max(10, Math.min(columns, longestWidth + indent) - from);

/** A line of a table below a step: a name, what came of it, and more. */
type Row = { name: string; verdict: string; text: string };

function detailLines(step: Step, { from, ...options }: LineOptions & { from: number }): string[] {
  const rows = step.details.flatMap((detail) => rowsOf(detail, options));
  const texts = step.details.flatMap((detail) =>
    detail.kind === "text" ? textLines(detail, from, options) : [],
  );
  const names = Math.min(
    44,
    largest(
      rows.map(({ name }) => widthOf(name)),
      0,
    ),
  );
  const verdicts = largest(
    rows.map(({ verdict }) => widthOf(verdict)),
    0,
  );
  const before = from + names + verdicts + 4;
  const isNarrow = options.columns !== null && options.columns < before + leastText;
  const at = isNarrow ? from + 2 : before;
  const shown = rows.flatMap(({ name, verdict, text }) => {
    const head = `${" ".repeat(from)}${pad(fit(name, names), names)}  ${pad(verdict, verdicts)}`;
    const [first = "", ...others] = text === "" ? [] : lines(text, textWidth(options.columns, at));
    const below = (isNarrow && text !== "" ? [first, ...others] : others).map(
      (each) => " ".repeat(at) + each,
    );
    return [`${head}  ${isNarrow ? "" : first}`.trimEnd(), ...below].filter((line) => line !== "");
  });
  return [...shown, ...texts];
}

const pad = (text: string, width: number): string => text + " ".repeat(Math.max(0, width - widthOf(text)));

function rowsOf(detail: Detail, { headers }: Pick<LineOptions, "headers">): Row[] {
  switch (detail.kind) {
    case "mapping":
      return mappingRows(detail);
    case "policy":
      return [
        {
          name: "policy",
          verdict: detail.allowed ? "allowed" : "refused",
          text: safeLine(detail.reason ?? ""),
        },
      ];
    case "tool-call":
      return [toolRow(detail)];
    case "header":
      return headers ? [{ name: safeLine(detail.name), verdict: "", text: safeLine(detail.value) }] : [];
    case "text":
      return [];
  }
}

function mappingRows({ id, takes, reason, filters }: Extract<Detail, { kind: "mapping" }>): Row[] {
  const texts = [
    ...(reason === null ? [] : [reason]),
    ...filters.map(
      ({ field, wanted, met, holds }) => `${holds ? "✓" : "✗"} ${field} met ${met}, wanted ${wanted}`,
    ),
  ].map(safeLine);
  const verdict = takes ? "took it" : "no";
  return [
    { name: safeLine(id), verdict, text: texts[0] ?? "" },
    ...texts.slice(1).map((text) => ({ name: "", verdict: "", text })),
  ];
}

const longestInput = 200;

function toolRow({ name, ok, tookMs, input, output }: Extract<Detail, { kind: "tool-call" }>): Row {
  const verdict = tookMs === null ? "not ended" : ok === false ? "failed" : "ok";
  const words = [
    tookMs === null ? null : durationWords(tookMs),
    input === null ? null : safeLine(input.slice(0, longestInput)),
    ok === false && output !== null ? safeLine(output.slice(0, longestInput)) : null,
  ];
  return { name: safeLine(name), verdict, text: words.filter((each) => each !== null).join("  ") };
}

const shortText = 12;

function textLines(
  { label, text }: Extract<Detail, { kind: "text" }>,
  from: number,
  { columns, isFull, paint }: LineOptions,
): string[] {
  const written = safeText(text).trimEnd().split("\n");
  const isOwn = label !== "reply" && label !== "prompt";
  if (isOwn && written.length === 1)
    return lines(`${label}: ${written[0]}`, textWidth(columns, from)).map((line) => " ".repeat(from) + line);
  const shown = isFull ? written : written.slice(0, shortText);
  const left = written.length - shown.length;
  const width = textWidth(columns, from + 2);
  const wrapped = shown.flatMap((line) => (columns === null ? [line] : wrap(line, width)));
  const edge = `${" ".repeat(from)}${paint("dim", "|")} `;
  const title = isOwn ? [`${" ".repeat(from)}${label}:`] : [];
  const rest = left > 0 ? [`${" ".repeat(from)}${paint("dim", `${left} more lines: rouse runs show`)}`] : [];
  return [...title, ...wrapped.map((line) => `${edge}${line}`.trimEnd()), ...rest];
}
