// The cloud part of a setup as gcloud commands, for people who may not run it or prefer to see it.
import { ackDeadlineSeconds, grantMadeByUs, madeByUs, publisher } from "./calls.ts";
import { type Cloud, defaultLabel, defaultResourceName, type Goal } from "./goal.ts";

export function gcloudCommands(goal: Goal): string[] {
  const { cloud } = goal;
  const project = cloud === null ? "" : ` ${flag("project", cloud.project)}`;
  const apis = ["gmail.googleapis.com", ...(cloud === null ? [] : ["pubsub.googleapis.com"])];
  const enable = `gcloud services enable ${apis.join(" ")}${project}`;
  if (cloud === null) return ["# The mode poll needs nothing in the cloud but the Gmail API:", enable];
  return [
    "# The APIs",
    enable,
    "# The topic that Gmail publishes to",
    `gcloud pubsub topics create ${short(cloud.topic)}${project} ${labels(madeByUs)}`,
    "# Gmail's right to publish to it",
    `gcloud pubsub topics add-iam-policy-binding ${short(cloud.topic)}${project} ${flag("member", publisher.member)} ${flag("role", publisher.role)}`,
    "# The subscription, which never expires",
    ...subscription(cloud, project),
    "# Then, where Rouse runs:",
    setupCommand(goal, cloud),
  ];
}

function subscription({ topic, subscription: name, push }: Cloud, project: string): string[] {
  const all = { ...madeByUs, ...grantMadeByUs };
  const create = `gcloud pubsub subscriptions create ${short(name)}${project} ${flag("topic", short(topic))} --ack-deadline=${ackDeadlineSeconds} --expiration-period=never ${labels(all)}`;
  if (push === null) return [create];
  const endpoint = `${flag("push-endpoint", push.endpoint)} ${flag("push-auth-service-account", push.serviceAccount)} ${flag("push-auth-token-audience", push.audience)}`;
  return [`${create} ${endpoint}`];
}

function setupCommand(
  { account, mode, label }: Goal,
  { project, topic, subscription: name, push }: Cloud,
): string {
  const isNamed = (whole: string): boolean => !whole.endsWith(`/${defaultResourceName}`);
  return [
    "rouse gmail setup",
    flag("account", account),
    flag("mode", mode),
    ...(label === defaultLabel ? [] : [flag("label", label)]),
    flag("project", project),
    ...(isNamed(topic) ? [flag("topic", topic)] : []),
    ...(isNamed(name) ? [flag("subscription", name)] : []),
    ...(push
      ? [flag("push-endpoint", push.endpoint), flag("oidc-service-account", push.serviceAccount)]
      : []),
    ...(push && push.audience !== push.endpoint ? [flag("audience", push.audience)] : []),
    "--provisioned",
  ].join(" ");
}

const short = (name: string): string => quoted(name.slice(name.lastIndexOf("/") + 1));
const flag = (name: string, value: string): string => `--${name}=${quoted(value)}`;
const labels = (values: Readonly<Record<string, string>>): string =>
  flag(
    "labels",
    Object.entries(values)
      .map((pair) => pair.join("="))
      .join(","),
  );

/** Quoted for a shell, where that is needed. */
const quoted = (text: string): string =>
  /^[\w@%+=:,./~-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
