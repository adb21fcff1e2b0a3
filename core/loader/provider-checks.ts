import { dialects, type Manifest, type Provider } from 'portcullis/sdk';
import { nearest } from '../config/nearest.ts';

/** What a provider declares that its manifest does not grant or that does not exist, each as a sentence's end. */
export function providerFaults(manifest: Manifest, definition: Provider): readonly string[] {
  const properties = definition.settings.properties as Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  return [
    ...ungrantedVariables(manifest, properties),
    ...unknownDialects(definition),
    ...unknownCredential(definition, properties),
    ...unboundedBase(definition, properties),
  ];
}

type Properties = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

function ungrantedVariables({ permissions }: Manifest, properties: Properties): readonly string[] {
  const granted = new Set(permissions?.env ?? []);
  return Object.entries(properties).flatMap(([name, schema]) => {
    const variable = schema['x-env'];
    if (typeof variable !== 'string' || granted.has(variable)) return [];
    return [
      `settings.${name} takes the environment variable ${variable}, which plugin.json does not list under permissions.env`,
    ];
  });
}

function unknownDialects({ endpoints, families = [] }: Provider): readonly string[] {
  const known = Object.keys(dialects);
  const all = [endpoints, ...families.map((family) => family.endpoints)].flatMap((offered) => Object.entries(offered));
  return all.flatMap(([name, { dialect }]) => {
    if (typeof dialect !== 'string' || known.includes(dialect)) return [];
    const close = nearest(dialect, known);
    return [
      `endpoints.${name}.dialect is "${dialect}", which is none of ${known.join(', ')}${close === undefined ? '' : ` (did you mean ${close}?)`}`,
    ];
  });
}

function unknownCredential({ auth, credential }: Provider, properties: Properties): readonly string[] {
  const fields = [
    ...(credential === undefined ? [] : [['credential', credential] as const]),
    ...(typeof auth === 'object' && 'from' in auth ? [['auth.from', auth.from] as const] : []),
  ];
  return fields
    .filter(([, setting]) => !Object.hasOwn(properties, setting))
    .map(([field, setting]) => `${field} names the setting ${setting}, which does not exist`);
}

/** What becomes part of a URL without encoding must be bounded by a pattern. */
function unboundedBase({ base }: Provider, properties: Properties): readonly string[] {
  if (typeof base !== 'string') return [];
  return [...base.matchAll(/\{([a-zA-Z0-9]+)\}/g)].flatMap(([, name = '']) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (schema === undefined) return [`base holds {${name}}, which is no setting`];
    return schema.pattern === undefined && schema.enum === undefined
      ? [`base holds {${name}}, whose schema needs a pattern`]
      : [];
  });
}
