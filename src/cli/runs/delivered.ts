// A run's deliveries, as text for people: one a line.
import type { deliveryResource } from "../../api/resources.ts";

type Shown = ReturnType<typeof deliveryResource>;

export const deliveryWords = (deliveries: readonly Shown[]): string =>
  deliveries.map(lineOf).join("\n") || "none";

function lineOf({ id, channel, to, status, error }: Shown): string {
  const target = `${to === null ? "" : ` to ${to}`} on ${channel}`;
  return `${status}${target}${error === null ? "" : `: ${error}`} (${id})`;
}
