import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { describe, test } from "node:test";
import { loadConfig } from "../../config/load.ts";
import type { Action } from "../../core/action.ts";
import { isRefusal } from "../../core/errors.ts";
import { plainText } from "../../core/message.ts";
import { mappedRequest } from "../../hooks/decide.ts";
import { compileMappings, type Mapping } from "../../hooks/mapping/compile.ts";
import { renderExample } from "../../hooks/mapping/examples.ts";
import { matchRefusal } from "../../hooks/mapping/match.ts";
import { prepareMappings } from "../../hooks/mapping/prepare.ts";
import type { MappedRequest } from "../../hooks/mapping/request.ts";
import { senderKinds } from "../../hooks/senders/kinds/index.ts";
import { prepareSenders } from "../../hooks/senders/prepare.ts";
import { senderRequest } from "../../hooks/senders/request.ts";
import { describeRequest } from "../../hooks/senders/verify.ts";
import { createSeen } from "../../hooks/template/seen.ts";
import { parseMapped } from "../../hooks/mapping/request.ts";
import { exampleWarnings } from "../explain/examples.ts";
import { readHeaders } from "../send/request-options.ts";
import { exampleFolder, exampleKinds, mappingFor, readyMappings } from "./ready.ts";

const hex = "0123456789abcdef0123456789abcdef";
const env = {
  ROUSE_HOOK_TOKEN: "a-hook-token-that-is-long-enough",
  GITHUB_WEBHOOK_SECRET: "a secret of the tests",
  GITLAB_WEBHOOK_SECRET: `whsec_${Buffer.from(hex).toString("base64")}`,
  STRIPE_WEBHOOK_SECRET: "whsec_of_the_tests",
  SLACK_SIGNING_SECRET: hex,
  LINEAR_WEBHOOK_SECRET: "lin_wh_of_the_tests",
  SENTRY_CLIENT_SECRET: "a secret of the tests",
  PAGERDUTY_WEBHOOK_SECRET: "a secret of the tests",
  ALERTMANAGER_TOKEN: "a-token-of-the-tests",
  GRAFANA_WEBHOOK_SECRET: "a secret of the tests",
  TYPEFORM_SECRET: "a secret of the tests",
  TWILIO_AUTH_TOKEN: hex,
  TELEGRAM_SECRET_TOKEN: "a-token-of-the-tests",
  FORM_TOKEN: "a-token-of-the-tests",
};

const loaded = (kind: string) => {
  const result = loadConfig(join(exampleFolder(kind), "rouse.jsonc"), env);
  assert.ok(result.ok, JSON.stringify(result));
  return result;
};

/** What each makes of its example: the first line, the last one, the conversation. */
const expected: Record<string, { begins: string; ends: RegExp; key: string | null }> = {
  "github issue-opened": {
    begins:
      "An issue was opened in lighthouse-works/tide-table by merle-hansen: https://github.com/lighthouse-works/tide-table/issues/214",
    ends: /what is missing to work on it\.$/,
    key: "hook:github:lighthouse-works/tide-table#214",
  },
  "github review-asked": {
    begins:
      "merle-hansen asks jonas-petersen for a review in lighthouse-works/tide-table: https://github.com/lighthouse-works/tide-table/pull/221",
    ends: /Size: 5 files, 64 lines added, 18 removed\n\nFixes #214[^]*Approve nothing\.$/,
    key: "hook:github:lighthouse-works/tide-table#221",
  },
  "github workflow-failed": {
    begins:
      "The workflow Tests of lighthouse-works/tide-table ended with failure on main (run 812, attempt 1, started by push): https://github.com/lighthouse-works/tide-table/actions/runs/14187203311",
    ends: /by Merle Hansen: Read the time zone[^]*or the machine\.$/,
    key: null,
  },
  "gitlab merge-request-opened": {
    begins:
      "Merle Hansen opened a merge request in works/tide-table: https://gitlab.lighthouse.example/works/tide-table/-/merge_requests/57",
    ends: /Reviewers: Jonas Petersen\n[^]*Merge nothing\.$/,
    key: "hook:gitlab:works/tide-table!57",
  },
  "gitlab pipeline-failed": {
    begins:
      "A pipeline of works/tide-table failed on main after 251 seconds: https://gitlab.lighthouse.example/works/tide-table/-/pipelines/55190",
    ends: /Failed jobs: unit\n[^]*or the runner\.$/,
    key: null,
  },
  "stripe payment-failed": {
    begins:
      "A payment failed: Sailmakers & Daughters, invoice LW-2026-0318, 49 EUR, attempt 1 (test mode). The invoice: https://invoice.stripe.com/i/acct_1Qa0aB2eHkLmNoPq/test_YWNjdF8xUWEwYUIyZUhr?s=ap",
    ends: /to office@sailmakers\.example that asks for another way to pay\. Do not send it\.$/,
    key: "hook:stripe:cus_S2kQvJm4RtYxWb",
  },
  "slack mention": {
    begins: "The Slack user U07MERLE wrote to you in the channel C07HARBOUR:",
    ends: /which boats go to Heligoland tomorrow\?\n\nAnswer in a few plain sentences\.$/,
    key: "hook:slack:C07HARBOUR:1774947605.000200",
  },
  "slack slash-command": {
    begins: "merle typed /ask in the Slack channel harbour:",
    ends: /\n\nwhich boats go to Heligoland tomorrow\?\n\nAnswer in a few plain sentences\.$/,
    key: "hook:slack:C07HARBOUR:U07MERLE",
  },
  "linear issue-created": {
    begins:
      "Merle Hansen created TIDE-148 in the team Tide table: https://linear.app/lighthouse/issue/TIDE-148/print-the-tide-table-on-one-page",
    ends: /Priority: High\nLabels: print\n\nHarbour masters[^]*it touches\.$/,
    key: "hook:linear:TIDE-148",
  },
  "sentry issue-created": {
    begins:
      "A new error in tide-api (node), level error: https://lighthouse.sentry.example/issues/6120045511/",
    ends: /RangeError: Invalid time value\nWhere: GET \/harbours[^]*look first\.$/,
    key: "hook:sentry:TIDE-API-4K",
  },
  "sentry alert-triggered": {
    begins:
      "The alert rule Many people see an error fired: https://lighthouse.sentry.example/issues/6120045511/events/e4874d664c3540c1a32eab185f12c5ab/",
    ends: /Environment: production, release tide-api@2026\.3\.4[^]*until the morning\.$/,
    key: "hook:sentry:6120045511",
  },
  "pagerduty incident-triggered": {
    begins:
      "Incident 318 was triggered on Tide API, urgency high: https://lighthouse.pagerduty.example/incidents/Q1A2B3C4D5E6F7",
    ends: /Disk almost full on db-1\nAssigned to: Jonas Petersen\n[^]*try first\.$/,
    key: "hook:pagerduty:Q1A2B3C4D5E6F7",
  },
  "alertmanager alerts": {
    begins: "An alert fires: DiskAlmostFull on db-1, severity warning.",
    ends: /\/var on db-1 is 91 % full\.[^]*Change nothing\. Report what you see\.$/,
    key: "hook:alertmanager:b3c1f0a27d5e9468",
  },
  "grafana alerts": {
    begins: "An alert fires: DiskAlmostFull, severity warning, value 91.4.",
    ends: /Runbook: https:\/\/wiki[^]*Change nothing\. Report what you see\.$/,
    key: "hook:grafana:b3c1f0a27d5e9468",
  },
  "typeform form-response": {
    begins: "Somebody filled in Harbour tours at 2026-03-31T10:04:31Z.",
    ends: /\nWhat is your name\? Ove Lindqvist\nWhich tour\? Evening tour\nFor how many people\? 24\nAnything with it\? Places for wheelchairs, Tea\n\nSay in two lines[^]*promise nothing\.$/,
    key: null,
  },
  "twilio sms": {
    begins: "A text message came from +4915112345678 to +4947112345:",
    ends: /\n\nIs the evening tour running today\?\n\nDraft an answer[^]*Promise nothing\.$/,
    key: "hook:twilio:+4915112345678",
  },
  "telegram message": {
    begins: "Merle writes to the Telegram bot:",
    ends: /\n\nWhen is high water in Cuxhaven tonight\?\n\nAnswer in a few plain sentences\.$/,
    key: "hook:telegram:5120077331",
  },
  "token form": {
    begins: "Somebody sent a form on https://lighthouse.example/contact.",
    ends: /Mail: ove@fjordferries\.example\n\nWe are 24 people[^]*could not answer\.$/,
    key: null,
  },
};

/** Events beside those of the examples: what is changed in the payload or the headers. */
const neighbours: Record<string, { payload?: Record<string, unknown>; headers?: Record<string, string> }[]> =
  {
    "github issue-opened": [
      { payload: { action: "closed" } },
      { headers: { "x-github-event": "issue_comment" } },
    ],
    "github review-asked": [{ payload: { action: "synchronize" } }, { payload: { action: "opened" } }],
    "github workflow-failed": [
      { payload: { action: "requested" } },
      { payload: { workflow_run: { conclusion: "success" } } },
    ],
    "gitlab merge-request-opened": [
      { payload: { object_attributes: { action: "update" } } },
      { headers: { "x-gitlab-event": "Note Hook" } },
    ],
    "gitlab pipeline-failed": [
      { payload: { object_attributes: { status: "success" } } },
      { headers: { "x-gitlab-event": "Job Hook" } },
    ],
    "stripe payment-failed": [{ payload: { type: "invoice.paid" } }],
    "slack mention": [
      { payload: { event: { type: "message" } } },
      { payload: { event: null, type: "url_verification" } },
    ],
    "slack slash-command": [{ payload: { command: "/other" } }],
    "linear issue-created": [{ payload: { action: "update" } }, { payload: { type: "Comment" } }],
    "sentry issue-created": [
      { payload: { action: "resolved" } },
      { headers: { "sentry-hook-resource": "comment" } },
    ],
    "sentry alert-triggered": [{ headers: { "sentry-hook-resource": "metric_alert" } }],
    "pagerduty incident-triggered": [{ payload: { event: { event_type: "incident.resolved" } } }],
    "alertmanager alerts": [{ payload: { version: "3" } }],
    "grafana alerts": [{ payload: { version: "2" } }],
    "typeform form-response": [{ payload: { event_type: "form_response_partial" } }],
    "twilio sms": [{ payload: { SmsStatus: "delivered" } }],
    "telegram message": [
      { payload: { message: { from: { is_bot: true } } } },
      { payload: { message: null } },
    ],
    "token form": [{ payload: { website: "https://spam.example" } }],
  };

const all = exampleKinds().flatMap((id) =>
  readyMappings(senderKinds.get(id)!).map((ready) => ({ id, ready })),
);

test("there are ready mappings for the senders that most people have", () => {
  const topics = all.map(({ id, ready }) => `${id} ${ready.topic}`);
  assert.deepEqual(topics.toSorted(), Object.keys(expected).toSorted());
  assert.deepEqual(topics.toSorted(), Object.keys(neighbours).toSorted());
});

for (const { id, ready } of all) {
  const about = `${id} ${ready.topic}`;
  describe(about, () => {
    test("its example becomes one run with a prompt that reads well", async () => {
      const action = await firstAction(id, requestOf(id, ready.example!));
      assert.ok(action.kind === "agent");
      const { begins, ends, key } = expected[about]!;
      const text = plainText(action.message);
      assert.equal(text.split("\n")[0], begins);
      assert.match(text, ends);
      assert.doesNotMatch(text, /undefined|\[object|\{\{|  /);
      assert.equal(action.sessionKey, key);
      assert.ok(action.name !== null && action.name.trim() !== "");
    });

    test("no other mapping of the folder takes it, and it takes no neighbouring event", () => {
      const { list } = compiled(id);
      const request = requestOf(id, ready.example!);
      const takers = list.filter(({ match }) => matchRefusal(match, request) === null).map((each) => each.id);
      assert.deepEqual(takers, [`${id}-${ready.topic}`]);
      const own = list.find((each) => each.id === `${id}-${ready.topic}`)!;
      for (const changes of neighbours[about]!) {
        const { payload = {}, headers = {} } = changes;
        const changed = asSent(id, {
          ...request,
          payload: merged(request.payload, payload),
          headers: { ...request.headers, ...headers },
        });
        assert.notEqual(matchRefusal(own.match, changed), null, JSON.stringify(changes));
      }
    });

    test("its templates find in the example what they refer to", () => {
      const own = compiled(id).list.find((each) => each.id === `${id}-${ready.topic}`)!;
      const seen = createSeen();
      for (const template of Object.values(own.templates))
        if (template !== null) renderExample(own, template, requestOf(id, ready.example!), seen);
      assert.deepEqual(
        [...seen.missing].filter(([, isRequired]) => isRequired).map(([label]) => label),
        [],
      );
    });

    test("for a sender of another name, it has that name", () => {
      const mapping = mappingFor(ready, { kind: id, name: "other", taken: [`other-${ready.topic}`] });
      assert.equal(mapping.id, `other-${ready.topic}-2`);
      assert.equal(mapping.match?.path, "other");
      assert.ok(!JSON.stringify(mapping).includes(`hook:${id}:`));
      assert.equal("examples" in mapping, false);
    });
  });
}

test("each example config can be used, its sender too", async () => {
  for (const id of exampleKinds()) {
    const { config } = loaded(id);
    assert.deepEqual(
      config.hooks.senders.map(({ kind, name }) => [kind, name]),
      [[id, id]],
    );
    assert.ok(prepareSenders(config.hooks.senders).ok, id);
    const prepared = await prepareMappings(config.hooks);
    assert.ok(prepared.ok, id);
    assert.deepEqual(await exampleWarnings(loaded(id), prepared.mappings.list, 0), [], id);
    await prepared.mappings.close();
  }
});

test("an example with an event that its mapping does not take is a warning", async () => {
  const { config, locate } = loaded("github");
  const { list } = compiled("github");
  const [opened, asked] = list;
  const wrong = { ...opened!, examples: asked!.examples };
  const warnings = await exampleWarnings({ config, locate }, [wrong], 0);
  assert.match(
    warnings.map(({ message }) => message).join(),
    /event was "pull_request\.review_requested", wanted "issues\.opened" or "issues\.reopened"/,
  );
  const bare = opened!.examples.map((example) => ({ ...example, headers: null }));
  assert.deepEqual(await exampleWarnings({ config, locate }, [{ ...opened!, examples: bare }], 0), []);
});

test("a kind without an example gets a mapping that shows the whole payload", () => {
  const [only, ...others] = readyMappings(senderKinds.get("dropbox")!);
  assert.deepEqual(others, []);
  assert.match(only?.mapping.messageTemplate ?? "", /\{\{ payload \}\}/);
});

/** What GitHub itself publishes as its payloads. */
describe("GitHub's published examples", () => {
  const examples = createRequire(import.meta.url)("@octokit/webhooks-examples") as {
    name: string;
    examples: Payload[];
  }[];
  const { list } = compiled("github");
  const taken = (event: string, payload: unknown): string[] => {
    const request = asSent("github", mapped("github", payload, ["x-github-event", event]));
    return list.filter(({ match }) => matchRefusal(match, request) === null).map(({ id }) => id);
  };

  test("are taken by event and action, and by nothing else", () => {
    let count = 0;
    for (const { name, examples: payloads } of examples)
      for (const payload of payloads) {
        const mapping = wantedFor(name, payload);
        assert.deepEqual(
          taken(name, payload),
          mapping === null ? [] : [mapping],
          `${name} ${payload.action}`,
        );
        if (mapping !== null) count++;
      }
    assert.ok(count >= 6, `${count} were taken`);
  });

  test("have every field that the templates need", () => {
    for (const { name, examples: payloads } of examples)
      for (const payload of payloads) {
        const mapping = list.find(({ id }) => id === wantedFor(name, payload));
        if (mapping === undefined) continue;
        const seen = createSeen();
        renderExample(mapping, mapping.templates.messageTemplate!, mapped("github", payload, []), seen);
        const missing = [...seen.missing].filter(([, isRequired]) => isRequired).map(([label]) => label);
        assert.deepEqual(missing, [], `${name} ${payload.action}`);
      }
  });
});

type Payload = { action?: string; workflow_run?: { conclusion?: string | null } };

function wantedFor(event: string, { action, workflow_run: run }: Payload): string | null {
  if (event === "issues" && (action === "opened" || action === "reopened")) return "github-issue-opened";
  if (event === "pull_request" && action === "review_requested") return "github-review-asked";
  const isFailure = ["failure", "timed_out", "startup_failure"].includes(run?.conclusion ?? "");
  return event === "workflow_run" && action === "completed" && isFailure ? "github-workflow-failed" : null;
}

function compiled(id: string): { list: readonly Mapping[] } {
  const { mappings, faults } = compileMappings(loaded(id).config.hooks.mappings);
  assert.deepEqual(faults, []);
  return { list: mappings };
}

const mapped = (name: string, payload: unknown, rawHeaders: string[]): MappedRequest =>
  mappedRequest(name, payload, { rawHeaders, target: "", now: 0 });

function requestOf(
  id: string,
  { payload, headers }: { payload: string; headers: string | null },
): MappedRequest {
  const bytes = readFileSync(payload);
  const rawHeaders = headers === null ? [] : readHeaders({ headers }).flat();
  if (payload.endsWith(".form"))
    return asSent(
      id,
      mapped(id, Object.fromEntries(new URLSearchParams(bytes.toString("utf8"))), rawHeaders),
    );
  const parsed = parseMapped(bytes);
  assert.ok(!isRefusal(parsed));
  return asSent(id, mapped(id, parsed.value, rawHeaders));
}

/** With the event and the delivery that its headers and its payload name. */
function asSent(id: string, request: MappedRequest): MappedRequest {
  const rawHeaders = Object.entries(request.headers).flat();
  const said = describeRequest(senderKinds.get(id)!, {
    ...senderRequest({ method: "POST", target: "", rawHeaders }, Buffer.alloc(0)),
    json: () => request.payload,
    form: () => new URLSearchParams(request.payload as Record<string, string>),
  });
  return { ...request, hook: { ...said, sender: id } };
}

async function firstAction(id: string, request: MappedRequest): Promise<Action> {
  const prepared = await prepareMappings(loaded(id).config.hooks);
  assert.ok(prepared.ok);
  const result = await prepared.mappings.decide(request);
  await prepared.mappings.close();
  assert.ok(!isRefusal(result) && result.kind === "actions", JSON.stringify(result));
  return result.actions[0]!;
}

/** Objects are merged, all else is replaced. */
function merged(base: unknown, changes: unknown): unknown {
  if (typeof base !== "object" || base === null || typeof changes !== "object" || changes === null)
    return changes;
  const both: Record<string, unknown> = { ...base };
  for (const [name, value] of Object.entries(changes)) both[name] = merged(both[name], value);
  return both;
}
