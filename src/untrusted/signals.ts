// Counts signs in a text of an attempt to pass for something else. The counts are shown to people; nothing is blocked.

import type { Signals } from "../core/signals.ts";
import { countChatTokens } from "./chat-tokens.ts";
import { countHidden, unifyLineBreaks } from "./hidden.ts";
import { fold } from "./fold.ts";

export const noSignals: Signals = { hiddenCharacters: 0, chatTokens: 0, fakeMarkers: 0, roleLabels: 0 };

const markers = [
  String.raw`^[\t \|>]*\[[\t ]*(?:begin|end)[\t ]+(?=[a-f]*\d)[0-9a-f]{6,}`,
  String.raw`<<<[^<>\n]{0,100}(?:external|untrusted)`,
  String.raw`<<<[\t ]*\/?end`,
  String.raw`(?:begin|end|start)[\t _\-](?:of[\t _\-])?(?:untrusted|external)`,
  String.raw`<\/?(?:untrusted|external)[\w\-]{0,40}>`,
].join("|");

const fakeMarkerLine = new RegExp(String.raw`(?:${markers})[^\n]*`, "gimv");

const speakers = "system|human|user|assistant|developer";

const roleLabel = new RegExp(
  String.raw`^[\t \|>*_]*(?:(?:${speakers})[\t *_]*:|#{1,6}[\t ]*(?:${speakers})\b)`,
  "gimv",
);

export function signalsOf(text: string): Signals {
  const unified = unifyLineBreaks(text);
  const folded = fold(unified).text;
  return {
    hiddenCharacters: countHidden(unified),
    chatTokens: countChatTokens(folded),
    fakeMarkers: count(folded, fakeMarkerLine),
    roleLabels: count(folded, roleLabel),
  };
}

const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0;

export const addSignals = (left: Signals, right: Signals): Signals => ({
  hiddenCharacters: left.hiddenCharacters + right.hiddenCharacters,
  chatTokens: left.chatTokens + right.chatTokens,
  fakeMarkers: left.fakeMarkers + right.fakeMarkers,
  roleLabels: left.roleLabels + right.roleLabels,
});
