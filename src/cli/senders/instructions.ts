// What a person has to do in the sender's settings, with our values filled in.
import type { Config } from "../../config/config.ts";
import { withoutEndSlash } from "../../core/text.ts";
import type { SenderKind } from "../../hooks/senders/kind.ts";
import { addressOf, localHost } from "../open/address.ts";

const unknownHost = "https://YOUR-HOST";

export type Address = {
  url: string;
  /** Whether the host is still to be filled in. */
  isPlaceholder: boolean;
  /** The same hook for a program on the gateway's machine. */
  local: string;
};

/** `publicUrl`: the whole address of the hook, or that of the host alone. */
export function addressFor(
  { gateway, hooks }: Pick<Config, "gateway" | "hooks">,
  name: string,
  publicUrl: string | null,
): Address {
  const path = `${hooks.path}/${name}`;
  const local = `${addressOf(localHost(gateway.host), gateway.port)}${path}`;
  if (publicUrl === null) return { url: unknownHost + path, isPlaceholder: true, local };
  return { url: completeUrl(publicUrl, path), isPlaceholder: false, local };
}

/** A proxy may give the hook another path, so one that is written stays. */
export const completeUrl = (written: string, path: string): string =>
  URL.canParse(written) && new URL(written).pathname === "/" && !written.includes("?")
    ? withoutEndSlash(written) + path
    : written;

export function stepsFor(
  { describe }: SenderKind,
  { name, address, secret }: { name: string; address: string; secret: string | null },
): string[] {
  return describe.setUp.map((step) =>
    step
      .replace(/\bADDRESS\b/g, () => address)
      .replace(/\bSECRET\b/g, () => secret ?? "SECRET")
      .replace(/(`rouse senders pair) NAME\b/g, (_, before: string) => `${before} ${name}`),
  );
}

export const addressNotes = ({ isPlaceholder, local }: Address, name: string): string[] =>
  isPlaceholder
    ? [
        `YOUR-HOST is where the sender reaches this gateway. On this machine it is ${local}.`,
        `Without a public address: rouse expose ${name}. Behind a proxy with TLS: docs/operations.md.`,
      ]
    : [];
