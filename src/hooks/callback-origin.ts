// Where an event came from, read from its payload: for callbacks that answer there. The caller's own words decide only
// which issue, request or conversation it is; the host is the configuration's, or Slack's.
import { ExactNumber } from "../core/exact-number.ts";
import { readField } from "../core/field-path.ts";
import type { CallbackFormat } from "../core/callback.ts";

/** Null where the format answers nowhere in particular; empty where the payload does not say. */
export function callbackOrigin(format: CallbackFormat, payload: unknown): string | null {
  switch (format) {
    case "standard":
      return null;
    case "github-comment":
      return githubIssue(payload) ?? "";
    case "gitlab-comment":
      return gitlabItem(payload) ?? "";
    case "slack-response":
      return slackAddress(payload) ?? "";
  }
}

/** `owner/name#12`: issues and pull requests are counted together. */
function githubIssue(payload: unknown): string | null {
  const name = textAt(payload, "repository", "full_name");
  if (name === null || !/^[A-Za-z0-9_.-]{1,100}\/[A-Za-z0-9_.-]{1,100}$/.test(name) || hasDots(name))
    return null;
  const number =
    numberAt(payload, "issue", "number") ??
    numberAt(payload, "pull_request", "number") ??
    numberAt(payload, "number");
  return number === null ? null : `${name}#${number}`;
}

/** `group/project#12` for an issue, `group/project!12` for a merge request. */
function gitlabItem(payload: unknown): string | null {
  const name = textAt(payload, "project", "path_with_namespace");
  if (
    name === null ||
    !/^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+){1,20}$/.test(name) ||
    name.length > 300 ||
    hasDots(name)
  )
    return null;
  const kind = textAt(payload, "object_kind");
  const own = numberAt(payload, "object_attributes", "iid");
  const mergeRequest = numberAt(payload, "merge_request", "iid") ?? (kind === "merge_request" ? own : null);
  if (mergeRequest !== null) return `${name}!${mergeRequest}`;
  const issue = numberAt(payload, "issue", "iid") ?? (kind === "issue" || kind === "work_item" ? own : null);
  return issue === null ? null : `${name}#${issue}`;
}

const hasDots = (name: string): boolean => name.split("/").some((part) => /^\.+$/.test(part));

/** Slack's own host and no other: whoever gets the reply is chosen by this address. */
function slackAddress(payload: unknown): string | null {
  const written = textAt(payload, "response_url") ?? textAt(inForm(payload), "response_url");
  const url = written === null || written.length > 2000 ? null : URL.parse(written);
  if (
    url === null ||
    url.protocol !== "https:" ||
    url.port !== "" ||
    url.username !== "" ||
    url.password !== ""
  )
    return null;
  return slackHosts.has(url.hostname) ? url.href : null;
}

const slackHosts: ReadonlySet<string> = new Set(["hooks.slack.com", "hooks.slack-gov.com"]);

/** An interaction comes as a form whose field `payload` holds JSON. */
function inForm(payload: unknown): unknown {
  const written = textAt(payload, "payload");
  if (written === null) return null;
  try {
    return JSON.parse(written) as unknown;
  } catch {
    return null;
  }
}

function textAt(payload: unknown, ...path: string[]): string | null {
  const value = readField(payload, path);
  return typeof value === "string" && value !== "" ? value : null;
}

function numberAt(payload: unknown, ...path: string[]): string | null {
  const value = readField(payload, path);
  const written = value instanceof ExactNumber || typeof value === "number" ? String(value) : "";
  return /^[1-9][0-9]{0,14}$/.test(written) ? written : null;
}
