// Templates and requests for the tests of this folder.
import assert from "node:assert/strict";
import type { Message, OutsideText } from "../../core/message.ts";
import { type Scope, scopeOf, type TemplateRequest } from "./scope.ts";
import { compileTemplate, type Template } from "./template.ts";

export const now = "2026-01-02T03:04:05.000Z";

export const request = (payload: unknown, others: Partial<TemplateRequest> = {}): TemplateRequest => ({
  payload,
  headers: {},
  query: {},
  path: "github",
  now,
  ...others,
});

export function compiled(source: string): Template {
  const result = compileTemplate(source);
  assert.ok(result.ok, result.ok ? "" : `${source}: ${result.message}`);
  return result.template;
}

export function problemIn(source: string): { message: string; at: string } {
  const result = compileTemplate(source);
  assert.ok(!result.ok, `was read: ${source}`);
  return { message: result.message, at: `${result.line}:${result.column}` };
}

export const messageFor = (source: string, payload: unknown, others?: Partial<TemplateRequest>): Message =>
  compiled(source).renderMessage(scopeOf(request(payload, others)));

export const textFor = (source: string, payload: unknown, others?: Partial<TemplateRequest>): string =>
  compiled(source).renderText(scopeOf(request(payload, others)));

export const outside = (label: string, text: string): OutsideText => ({ label, source: "request", text });

export function faultFrom(source: string, scope: Scope): { message: string; tookMs: number } {
  const template = compiled(source);
  const start = performance.now();
  try {
    template.renderMessage(scope);
  } catch (error) {
    assert.ok(error instanceof Error && error.name === "TemplateFault", String(error));
    return { message: error.message, tookMs: performance.now() - start };
  }
  assert.fail(`was rendered: ${source}`);
}
