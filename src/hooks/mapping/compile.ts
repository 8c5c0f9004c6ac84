// Compiles the templates of mappings and reports their faults.
import { type MappingConfig, type TemplateName, templateNames } from "../../config/config.ts";
import { createEngine, type Engine } from "../template/engine.ts";
import { compileTemplate, type Template } from "../template/template.ts";

export type Mapping = Omit<MappingConfig, "templates"> & {
  readonly templates: Readonly<Record<TemplateName, Template | null>>;
};

/** `setting` is the setting's name inside the mapping. */
export type MappingFault = { mapping: MappingConfig; setting: string; message: string };

export function compileMappings(mappings: readonly MappingConfig[]): {
  mappings: Mapping[];
  faults: MappingFault[];
} {
  const faults: MappingFault[] = [];
  const engine = createEngine();
  const compiled = mappings.map((mapping) => ({
    ...mapping,
    templates: Object.fromEntries(
      templateNames.map((name) => [name, compile(mapping, name, engine, faults)]),
    ) as Mapping["templates"],
  }));
  return { mappings: compiled, faults };
}

function compile(
  mapping: MappingConfig,
  name: TemplateName,
  engine: Engine,
  faults: MappingFault[],
): Template | null {
  const source = mapping.templates[name];
  if (source === null) return null;
  const compiled = compileTemplate(source, engine);
  if (compiled.ok) return compiled.template;
  const location = `line ${compiled.line}, column ${compiled.column} of the template`;
  faults.push({ mapping, setting: name, message: `${compiled.message} (${location})` });
  return null;
}
