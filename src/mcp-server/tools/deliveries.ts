// Replies on their way to people and programs.
import { z } from "zod";
import { cut } from "../../core/text.ts";
import { split, splitList, textsBlock } from "../items.ts";
import * as take from "../parameters.ts";
import { cutWords, windowOf } from "../texts.ts";
import { changeTool, readTool, type Tool } from "../tool.ts";
import { counted } from "../words.ts";

const ours = ["id", "runId", "channel", "status", "attempts", "sentMessages", "createdAt", "sentAt"];

const listDeliveries = readTool({
  name: "list_deliveries",
  title: "List deliveries",
  description:
    "Replies and failure notices on their way to people, and results on their way to programs (channels callback:…), newest first. Without their texts: see show_delivery.",
  input: {
    status: take.deliveryStatus,
    channel: z.string().min(1).max(500).optional(),
    run: z.string().min(1).max(100).optional().describe("Only of this run, by its whole id."),
    ...take.window,
    ...take.paging,
  },
  output: take.page,
  async handle(given, { ask, signal }) {
    const page = await ask("listDeliveries", take.given(given), { signal });
    const { items, outside } = splitList("deliveries: recipients and errors, by id", page.items, ours);
    return {
      says: `${counted(items.length, "delivery")}.`,
      fields: { items, nextCursor: page.nextCursor },
      outside,
    };
  },
});

const longestText = 16_000;

const showDelivery = readTool({
  name: "show_delivery",
  title: "Show a delivery",
  description: "One delivery with its text: what a person gets or got.",
  input: { id: take.id, from: take.from },
  output: { delivery: z.looseObject({ id: z.string() }) },
  async handle({ id, from }, { ask, signal }) {
    const { text, ...delivery } = await ask("getDelivery", { id }, { signal });
    const { ours: known, texts } = split(delivery, ours);
    const window = windowOf(text, from, longestText);
    const note = cutWords(window, (next) => `show_delivery with id "${id}", from ${next}`);
    return {
      says: `Delivery ${delivery.id} has the status ${delivery.status}.`,
      fields: { delivery: known },
      outside: [
        ...textsBlock("what else is known of it", [{ key: {}, texts }]),
        { label: "its text", text: window.text, note },
      ],
    };
  },
});

const retryDelivery = changeTool({
  name: "retry_delivery",
  title: "Retry a delivery",
  description:
    "Sends again what is not known to be sent. A person gets a message; after status `unknown` they may get it twice.",
  input: { id: take.id },
  output: {},
  hints: { openWorldHint: true },
  async plan({ id }, { ask, signal }) {
    const { text, ...delivery } = await ask("getDelivery", { id }, { signal });
    const { ours: known, texts } = split({ ...delivery, text: cut(text, 300) }, ours);
    const possible = !["sent", "waiting"].includes(delivery.status);
    const twice = delivery.status === "unknown" ? " Its recipient may get it twice." : "";
    const says = possible
      ? `delivery ${delivery.id}, which has the status ${delivery.status}, is sent.${twice}`
      : `Nothing to do: the delivery has the status ${delivery.status}.`;
    const outside = textsBlock("the delivery", [{ key: { id }, texts }]);
    return { says, fields: { delivery: known }, outside, possible };
  },
  async act({ id }, { ask, post }) {
    const { status } = await ask("retryDelivery", { id, body: {} }, post);
    return { says: `Delivery ${id} is queued again.`, fields: { id, status } };
  },
});

export const deliveryTools: readonly Tool[] = [listDeliveries, showDelivery, retryDelivery];
