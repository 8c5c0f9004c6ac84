// What a request says that it is about: its event and the id of its delivery.
import type { Proven, Scheme, SenderKind } from "./kind.ts";
import type { Place } from "./place.ts";
import { malformed, readPlace, senderRequest, type SenderRequest } from "./request.ts";

export function deliveryOf({ delivery }: Scheme, request: SenderRequest): Proven["delivery"] {
  const id = delivery === undefined ? null : firstValue(delivery.at, request);
  if (id === null) return null;
  const scope = firstValue(delivery!.within ?? [], request);
  return { id: scope === null ? id : `${scope} ${id}`, signed: delivery!.signed };
}

export function eventOf({ event, body }: SenderKind, received: SenderRequest): string | null {
  if (event === undefined) return null;
  const request = withFormField(received, body.formField);
  if (event.join !== true) return firstValue(event.at, request);
  const values = event.at.map((place) => oneValue(place, request));
  const [first] = values;
  return first === null || first === undefined ? null : values.filter((value) => value !== null).join(".");
}

/** Where a form's field is the payload, the payload's places are in it. */
function withFormField(request: SenderRequest, formField: string | undefined): SenderRequest {
  if (formField === undefined || request.json() !== undefined) return request;
  const written = request.form().get(formField);
  return written === null ? request : { ...request, json: senderRequest(request, Buffer.from(written)).json };
}

const firstValue = (at: readonly Place[], request: SenderRequest): string | null =>
  at.map((place) => oneValue(place, request)).find((value) => value !== null) ?? null;

function oneValue(place: Place, request: SenderRequest): string | null {
  const found = readPlace(place, request);
  return found === malformed ? null : found[0] || null;
}
