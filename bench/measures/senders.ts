// Senders: a signed delivery of GitHub against the same body with a token to the same mapping; the same among 200 senders;
// and what a flood of wrong signatures costs. Every request has a body and an id of its own, also those with the token.
import { compare, type Contender, type Scores } from "../comparison.ts";
import type { Lab } from "../lab.ts";
import { row, type Result, type Row } from "../row.ts";
import { type Gateway, startGateway, storeKinds, type StoreKind } from "../subjects/gateway.ts";

const secret = "the secret of the bench's webhook";
const bodyBytes = 4096;
const manySenders = 200;

/** About what GitHub sends for an issue. */
function issueBody(): string {
  const issue = { number: 7, title: "The build is broken", user: { login: "octocat" }, body: "" };
  const empty = JSON.stringify({ action: "opened", delivery: "ID", issue, repository: { full_name: "o/r" } });
  issue.body = "x".repeat(bodyBytes - empty.length);
  return JSON.stringify({ action: "opened", delivery: "ID", issue, repository: { full_name: "o/r" } });
}

const messageTemplate = "{{ repository.full_name }}#{{ issue.number }}: {{ issue.title }}";
const mapping = (path: string) => ({ id: path, match: { path }, messageTemplate, deliver: false });

const hooksWith = (names: readonly string[]) => ({
  senders: Object.fromEntries(names.map((name) => [name, { kind: "github", secret }])),
  mappings: [mapping("plain"), ...names.map(mapping)],
  authFailures: { max: 1, windowSeconds: 3600 },
});

export async function measureSenders(lab: Lab): Promise<Result> {
  const rows: Row[] = [];
  const notes: string[] = [];
  for (const store of storeKinds) {
    const { scores, flood, accepted } = await measureOn(lab, store);
    rows.push(...scores.map((each) => rateRow(each, store)));
    notes.push(
      ...[...scores, flood].map(
        (each) =>
          `${each.name}, ${store}: ${Math.round(each.processorMicroseconds)} µs of processor time a request`,
      ),
    );
    rows.push(
      row(`a wrong signature, ${store}`, flood.processorMicroseconds, "µs of processor time", {
        against: "a delivery",
        ratio: flood.processorMicroseconds / accepted.processorMicroseconds,
        goal: { of: "ratio", atMost: 1 },
      }),
    );
  }
  return { name: "senders", title: "Senders", rows, notes };
}

async function measureOn(lab: Lab, store: StoreKind) {
  const gateway = await startGateway(lab, { store, hooks: hooksWith(["github"]) });
  const among = Array.from({ length: manySenders }, (_, at) => `github-${at}`);
  const many = await startGateway(lab, { store, hooks: hooksWith(among) });
  const body = issueBody();
  const send = (name: string, server: Gateway, path: string, expectedStatus: number): Contender => ({
    name,
    server,
    path: `/hooks/${path}`,
    body,
    expectedStatus,
    signedWith: secret,
  });
  const contenders = [
    send("with the token", gateway, "plain", 202),
    send("a delivery", gateway, "github", 200),
    send(`a delivery, ${manySenders} senders`, many, among[manySenders >> 1]!, 200),
  ];
  const { rounds, seconds } = lab.effort;
  const scores = await compare(lab, { contenders, rounds, seconds });
  const wrong = { ...contenders[1]!, name: "a wrong signature", expectedStatus: 429, signedWith: "another" };
  const [accepted, flood] = await compare(lab, {
    contenders: [contenders[1]!, wrong],
    rounds: Math.ceil(rounds / 2),
    seconds,
  });
  await Promise.all([gateway, many].map(({ child }) => lab.end(child)));
  return { scores, flood: flood!, accepted: accepted! };
}

const rateRow = ({ name, perSecond, ofRate }: Scores, store: StoreKind): Row =>
  row(`${name}, ${store}`, perSecond, "requests/s", {
    against: "with the token",
    ratio: ofRate,
    ...(name === "with the token" ? {} : { goal: { of: "ratio" as const, atLeast: 0.85 } }),
  });
