// `rouse deliveries`: lists replies and whether they were sent, and retries or cancels them.
import { type Delivery, deliveryStatuses } from "../../core/delivery.ts";
import type { Command } from "../command.ts";
import { cancelDelivery, retryDelivery } from "../../api/actions/deliveries.ts";
import { doneOrThrow } from "../../api/actions/result.ts";
import { deliveryResource, shortTime } from "../../api/resources.ts";
import { printDelivery } from "../timeline/show-item.ts";
import { given, readAllOf, statusFlag } from "../runs/filters.ts";
import { idHelp } from "../runs/resolve.ts";
import { runStored, type Stored, syntaxOf } from "../runs/stored.ts";

const deliveryFlags = {
  ...statusFlag(deliveryStatuses),
  channel: { type: "string", multiple: true },
} as const;

const deliveries: Stored<Delivery, ReturnType<typeof deliveryResource>, typeof deliveryFlags> = {
  one: "delivery",
  many: "deliveries",
  kind: "delivery",
  flags: deliveryFlags,
  columns: [
    { title: "CREATED", value: (delivery) => shortTime(delivery.createdAt) },
    { title: "STATUS", value: (delivery) => delivery.status },
    { title: "CHANNEL", value: (delivery) => delivery.channel },
    { title: "TO", value: (delivery) => delivery.to },
    { title: "ATTEMPTS", value: (delivery) => delivery.attempts },
    { title: "SENT", value: (delivery) => delivery.sentMessages },
    { title: "ID", value: (delivery) => delivery.id },
    { title: "REASON", value: (delivery) => delivery.error },
  ],
  toResource: deliveryResource,
  search({ status, channel }) {
    const wanted = given({ statuses: readAllOf("--status", status, deliveryStatuses), channels: channel });
    return (store, page) => store.searchDeliveries({ ...page, ...wanted });
  },
  single: {
    find: (store, id) => store.findDelivery(id),
    details: async (_, { fallback, text }) => ({ fallback, text }),
    print: printDelivery,
    retry: async (store, delivery) => doneOrThrow(await retryDelivery(store, delivery)),
    cancel: async (store, delivery) => doneOrThrow(await cancelDelivery(store, delivery)),
  },
};

export const command: Command = {
  name: "deliveries",
  summary: "list, show, retry or cancel replies that are sent to people",
  help: `Usage: rouse deliveries [--status STATUS]… [--channel NAME]… [--since TIME] [--until TIME]
                       [--limit N | --all] [--json]
       rouse deliveries show|retry|cancel ID [--json]

Lists the replies for people, and the lines that tell them of a failed run, newest first: waiting,
sent, failed, suppressed (kept and not sent: there is no channel, nobody to tell of a failed run, or
it was only a heartbeat acknowledgement), or unknown (the platform did not respond: it may have arrived).
A long reply is several messages; SENT says how many of them are known to be sent.
Works on the store directly, whether or not a gateway is running.

  show ID     one delivery with its text
  retry ID    sends what is not known to be sent; after unknown, the recipient may get a message twice
  cancel ID   does not send a waiting one

${idHelp}

Options:
  --status STATUS
                 only waiting, sent, failed, suppressed or unknown ones; may be repeated
  --channel NAME only those on this channel; may be repeated
  --since TIME   only those stored since then: 30m, 1h, 2d, or a time with its zone such as
                 2026-11-19T08:00:00Z
  --until TIME   only those stored before then
  --limit N      list at most N (default 50)
  --all          list all
  --json         one JSON array, or one object for a single delivery
  --config FILE  the config to use (default: rouse.jsonc in ROUSE_HOME)

Examples:
  rouse deliveries --limit 10
  rouse deliveries --status failed --since 1d
  rouse deliveries retry 0198c0de-0000-7000-8000-000000000000`,
  syntax: syntaxOf(deliveries),
  run: (context) => runStored(context, deliveries),
};
