// Finds the text parts and the attachments of a message in the server's description of it.
import type { MessageStructureObject } from "imapflow";
import type { MimeMessage } from "../message.ts";

type Structure = MessageStructureObject;

const mostAttachments = 100;

/** Of several forms of one text only one: the plain one, if it is there and not empty. */
export function textParts(node: Structure | undefined): Structure[] {
  if (node === undefined) return [];
  if (!node.childNodes) return isText(node) ? [node] : [];
  const forms = node.childNodes.map(textParts);
  if (node.type.toLowerCase() !== "multipart/alternative") return forms.flat();
  const filled = forms.filter((parts) => parts.some(({ size }) => size !== 0));
  return filled.find((parts) => parts.some(isPlain)) ?? filled[0] ?? [];
}

const isPlain = ({ type }: Structure): boolean => type.toLowerCase() === "text/plain";

const isText = ({ type, disposition }: Structure): boolean =>
  /^text\/(?:plain|html)$/i.test(type) && disposition?.toLowerCase() !== "attachment";

export const attachmentsIn = (node: Structure | undefined): MimeMessage["attachments"] =>
  leavesOf(node)
    .filter((leaf) => !isText(leaf))
    .slice(0, mostAttachments)
    .map(({ type, size = 0, encoding, parameters, dispositionParameters }) => ({
      name: (dispositionParameters?.["filename"] ?? parameters?.["name"] ?? "").slice(0, 200),
      type: type.toLowerCase(),
      bytes: encoding?.toLowerCase() === "base64" ? Math.floor((size * 3) / 4) : size,
    }));

function leavesOf(node: Structure | undefined): Structure[] {
  if (node === undefined) return [];
  return node.childNodes ? node.childNodes.flatMap(leavesOf) : [node];
}
