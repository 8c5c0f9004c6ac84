// A PostgreSQL at the other end of a long wire.
import { startWire, type Wire } from "../lab/proxy.ts";

/** `long` is the address over a wire, which is short until it is made longer. */
export async function overWire(url: string): Promise<{ long: string; wire: Wire }> {
  const address = new URL(url);
  const wire = await startWire(Number(address.port));
  address.port = String(wire.port);
  return { long: address.href, wire };
}
