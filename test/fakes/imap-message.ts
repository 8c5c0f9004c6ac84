// A message as an IMAP server describes it: its sections, and its structure as far as tests need it.

const blank = Buffer.from("\r\n\r\n");

type Split = { head: Buffer; body: Buffer };

function split(raw: Buffer): Split {
  const at = raw.indexOf(blank);
  return at === -1
    ? { head: raw, body: Buffer.alloc(0) }
    : { head: raw.subarray(0, at + 4), body: raw.subarray(at + 4) };
}

const field = (head: Buffer, name: string): string | null =>
  new RegExp(`^${name}:[ \\t]*(.*)$`, "im").exec(head.toString("latin1"))?.[1]?.trim() ?? null;

function partsOf({ head, body }: Split): Split[] | null {
  const boundary = /^multipart\/.*boundary="?([^";]+)/i.exec(field(head, "content-type") ?? "")?.[1];
  if (boundary === undefined) return null;
  const pieces = body.toString("latin1").split(`--${boundary}`).slice(1, -1);
  return pieces.map((piece) => split(Buffer.from(piece.replace(/^\r\n/, "").replace(/\r\n$/, ""), "latin1")));
}

/** Null for a section that is not there. */
export function sectionOf(raw: Buffer, section: string): Buffer | null {
  const whole = split(raw);
  if (section === "") return raw;
  if (section === "HEADER") return whole.head;
  if (section === "TEXT") return whole.body;
  const wanted = /^HEADER\.FIELDS \((.*)\)$/i.exec(section)?.[1]?.toLowerCase().split(" ");
  if (wanted) return fieldsOf(whole.head, wanted);
  const [, number = "", kind] = /^(\d+)(\.MIME)?$/i.exec(section) ?? [];
  const part = (partsOf(whole) ?? [whole])[Number(number) - 1];
  return part ? (kind ? part.head : part.body) : null;
}

function fieldsOf(head: Buffer, wanted: readonly string[]): Buffer {
  const lines = head.toString("latin1").split(/\r\n(?![ \t])/);
  const kept = lines.filter((line) => wanted.includes(line.slice(0, line.indexOf(":")).toLowerCase()));
  return Buffer.from([...kept, "", ""].join("\r\n"), "latin1");
}

export function structureOf(raw: Buffer): string {
  const whole = split(raw);
  const parts = partsOf(whole);
  return parts ? `(${parts.map(leafOf).join("")} "MIXED")` : leafOf(whole);
}

function leafOf({ head, body }: Split): string {
  const [type = "", ...parameters] = (field(head, "content-type") ?? "text/plain").split(/;\s*/);
  const [main = "", sub = ""] = type.toUpperCase().split("/");
  const encoding = field(head, "content-transfer-encoding") ?? "7bit";
  const [disposition, ...its] = (field(head, "content-disposition") ?? "").split(/;\s*/);
  const lines = main === "TEXT" ? ` ${body.toString("latin1").split("\n").length}` : "";
  const placed = disposition ? `("${disposition}" ${pairs(its)})` : "NIL";
  return `("${main}" "${sub}" ${pairs(parameters)} NIL NIL "${encoding}" ${body.length}${lines} NIL ${placed})`;
}

const pairs = (written: readonly string[]): string =>
  written.length === 0
    ? "NIL"
    : `(${written
        .map((each) =>
          each
            .split("=")
            .map((side) => `"${side.replaceAll('"', "")}"`)
            .join(" "),
        )
        .join(" ")})`;
