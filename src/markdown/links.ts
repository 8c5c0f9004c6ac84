// Which addresses become links, and how a link is written where a platform has none.

import { PLAIN, mergeSpans, textOf, type Span } from "./model.ts";

const LONGEST_SHOWN = 200;

/** The address if it may be a link, else null: only http, https, mailto and tel. */
export function linkAddress(href: string): string | null {
  if (!/^(?:https?:\/\/[^/\s]|mailto:[^\s]|tel:[+\d])/i.test(href)) return null;
  return href.replace(/[\s<>"`|\\^{}]/g, (character) => encodeURIComponent(character));
}

/** A label and its address as a link, or as text where the address may not be a link. */
export function linkSpans(label: readonly Span[], href: string): Span[] {
  const address = linkAddress(href);
  const empty = textOf(label).trim() === "";
  if (address === null) {
    const shown = href.length > LONGEST_SHOWN ? `${href.slice(0, LONGEST_SHOWN).toWellFormed()}…` : href;
    return [...label, { ...PLAIN, text: empty ? shown : shown === "" ? "" : ` (${shown})` }];
  }
  const spans = empty ? [{ ...PLAIN, text: address }] : label;
  return spans.map((span) => ({ ...span, link: span.link ?? address }));
}

/** Whether the label already shows the address. */
export function isBare(label: string, address: string): boolean {
  const encoded = linkAddress(label) ?? label;
  return [encoded, `mailto:${label}`, `tel:${label}`, `http://${label}`, `https://${label}`].includes(
    address,
  );
}

/** `label (address)` in place of links. */
export function spellOutLinks(spans: readonly Span[]): Span[] {
  const spelled: Span[] = [];
  for (let from = 0, to = 0; from < spans.length; from = to) {
    const address = spans[from]!.link;
    while (to < spans.length && spans[to]!.link === address) to += 1;
    const run = spans.slice(from, to).map((span) => ({ ...span, link: null }));
    for (const span of run) spelled.push(span);
    if (address !== null && !isBare(textOf(run), address)) spelled.push({ ...PLAIN, text: ` (${address})` });
  }
  return mergeSpans(spelled);
}
