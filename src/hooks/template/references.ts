// The references of a template: the paths it names. While it is rendered, it is noted which of them lead to a value.
import { type Context, evalToken, type ForTag, type Template, toValueSync, TypeGuards } from "liquidjs";
import { ownerIsThere, type Path, type TemplateContext } from "./context.ts";

const { isNumberToken, isPropertyAccessToken, isQuotedToken, isWordToken } = TypeGuards;

export type Reference = {
  readonly label: string;
  /** Null when a part of it is known only while rendering. */
  readonly path: Path | null;
};

/** Null for what is no reference: a literal, a range, a comparison. */
export function referenceOf(token: unknown): Reference | null {
  if (!isPropertyAccessToken(token) || token.variable !== undefined) return null;
  const path: (string | number)[] = [];
  for (const step of token.props) {
    if (!isWordToken(step) && !isQuotedToken(step) && !isNumberToken(step))
      return { label: token.getText(), path: null };
    path.push(step.content);
  }
  return { label: token.getText(), path };
}

export type Use = {
  /** Inside a condition: an author expects that it may be missing. */
  readonly isOptional: boolean;
  /** What is missing is replaced, so it is no news. */
  readonly hasDefault: boolean;
};

export function noteReference(
  context: Context,
  { label, path }: Reference,
  value: unknown,
  { isOptional, hasDefault }: Use,
): void {
  const { seen } = context as TemplateContext;
  if (seen === null) return;
  // Of a `null`, every field is null, too.
  const isThere = value !== undefined && (value !== null || path === null || ownerIsThere(context, path));
  if (isThere) seen.met.add(label);
  else if (!hasDefault) seen.missing.set(label, !isOptional || seen.missing.get(label) === true);
}

/** Notes what a token leads to, where it is a reference. */
export function noteToken(context: Context, token: unknown, use: Use): void {
  const reference = (context as TemplateContext).seen === null ? null : referenceOf(token);
  if (reference === null) return;
  const value = toValueSync(evalToken(token as Parameters<typeof evalToken>[0], context));
  noteReference(context, reference, value, use);
}

/** A `{% for %}` that notes its list. With an `{% else %}`, its list may be missing. */
export function notingLoop(tag: ForTag, isOptional: boolean): Template {
  const use = { isOptional, hasDefault: tag.elseTemplates.length > 0 };
  return {
    token: tag.token,
    render(context, emitter) {
      noteToken(context, tag.collection, use);
      return tag.render(context, emitter);
    },
  };
}
