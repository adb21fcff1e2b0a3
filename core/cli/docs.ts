import { readdirSync, readFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { dialects, errorCodes, type Guardrail, type Manifest, type Provider } from 'portcullis/sdk';
import { environmentTable } from '../config/env.ts';
import { fileSchema } from '../config/file-schema.ts';
import { schemaFileText } from '../config/schema-file.ts';
import { capabilitiesOf } from '../loader/capabilities.ts';
import { settingsListText } from '../loader/provider-settings.ts';

/** What the walk over a JSON Schema reads of it. */
interface SchemaNode {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly additionalProperties?: SchemaNode | boolean;
  readonly items?: SchemaNode;
  readonly not?: unknown;
  readonly required?: readonly string[];
}

const providersFolder = new URL('../../providers/', import.meta.url);

/** The generated sections of the README, by the name in their markers. */
export async function readmeSections(): Promise<Readonly<Record<string, string>>> {
  return {
    errors: errorTable(),
    environment: environmentText(),
    'plugin-environment': pluginEnvironmentText(),
    config: configTable(),
    checks: await checkTable(),
    providers: await providerTable(),
  };
}

/** The README with its generated sections written anew. */
export function withSections(readme: string, sections: Readonly<Record<string, string>>): string {
  return Object.entries(sections).reduce((text, [name, content]) => {
    const start = `<!-- ${name}:start -->`;
    const end = `<!-- ${name}:end -->`;
    const [from, to] = [text.indexOf(start), text.indexOf(end)];
    if (from === -1 || to < from) throw new Error(`README.md has no section between ${start} and ${end}.`);
    return `${text.slice(0, from + start.length)}\n${content}\n${text.slice(to)}`;
  }, readme);
}

function errorTable(): string {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, summary }]) => `| \`${code}\` | ${status} | ${summary} |`,
  );
  return ['| code | status | meaning |', '|---|---|---|', ...rows].join('\n');
}

function environmentText(): string {
  const rows = Object.entries(environmentTable).map(
    ([name, row]) => `| \`${name}\` | ${shown(row.default)} | ${cell(row.summary)} |`,
  );
  return ['| variable | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** Variables that plugins read, by what their manifests say of them. */
function pluginEnvironmentText(): string {
  const folder = new URL('../../plugins/', import.meta.url);
  const rows = readdirSync(folder)
    .sort()
    .flatMap((name) => {
      const manifest = JSON.parse(readFileSync(new URL(`${name}/plugin.json`, folder), 'utf8')) as Manifest;
      return Object.entries(manifest.environment ?? {}).map(
        ([variable, summary]) => `| \`${variable}\` | ${name} | ${cell(summary)} |`,
      );
    });
  return ['| variable | plugin | meaning |', '|---|---|---|', ...rows].join('\n');
}

/** One row for each unit: its checks, with `in`, `out` and `edits` where they run or change something. */
async function checkTable(): Promise<string> {
  const folder = new URL('../../guardrails/', import.meta.url);
  const rows = readdirSync(folder)
    .sort()
    .map(async (name) => {
      const manifest = JSON.parse(readFileSync(new URL(`${name}/plugin.json`, folder), 'utf8')) as Manifest;
      const { default: unit } = (await import(new URL(`${name}/index.ts`, folder).href)) as { default: Guardrail };
      const checks = Object.entries(unit.checks).map(([check, { phases, edits }]) => {
        const where = phases.map((phase) => (phase === 'beforeRequest' ? 'in' : 'out')).join('/');
        return `\`${name}.${check}\` (${where}${edits === undefined ? '' : ', edits'})`;
      });
      const credentials = Object.keys(unit.credentials?.properties ?? {}).map((field) => `\`${field}\``);
      return `| ${cell(manifest.title)} | ${checks.join(', ')} | ${credentials.join(', ')} |`;
    });
  return ['| unit | checks | credentials |', '|---|---|---|', ...(await Promise.all(rows))].join('\n');
}

/** One row for each provider: how its models are spoken to, and what else it can be asked for. */
async function providerTable(): Promise<string> {
  const rows = capabilitiesOf(await readProviders()).map(({ id, capabilities }) => {
    const generates = capabilities.filter(
      ({ stream, dialect }) => stream && dialect !== null && !documents.has(dialect),
    );
    const formats = unique(generates.map(({ dialect }) => dialect ?? ''));
    const tools = unique(capabilities.flatMap(({ tools, dialect }) => (tools ? [dialect ?? ''] : [])));
    const endpoints = unique(capabilities.map(({ endpoint }) => endpoint));
    const streams = unique(capabilities.flatMap(({ stream, endpoint }) => (stream ? [endpoint] : [])));
    const shown = endpoints.map((endpoint) => (streams.includes(endpoint) ? `${endpoint}*` : endpoint));
    return `| \`${id}\` | ${formats.join(', ')} | ${tools.length > 0 ? 'yes' : ''} | ${shown.join(', ')} |`;
  });
  return ['| provider | formats | tools | endpoints |', '|---|---|---|---|', ...rows].join('\n');
}

/** The text of `providers/settings.json`, by the code of the providers of this repository. */
export async function providerSettingsText(): Promise<string> {
  const providers = await readProviders();
  return settingsListText(providers.map(({ manifest: { name }, definition }) => ({ name, definition })));
}

function readProviders(): Promise<readonly { readonly manifest: Manifest; readonly definition: Provider }[]> {
  const names = readdirSync(providersFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .sort();
  return Promise.all(
    names.map(async (name) => {
      const manifest = JSON.parse(readFileSync(new URL(`${name}/plugin.json`, providersFolder), 'utf8')) as Manifest;
      const module: unknown = await import(new URL(`${name}/index.ts`, providersFolder).href);
      return { manifest, definition: (module as { default: Provider }).default };
    }),
  );
}

const documents: ReadonlySet<string> = new Set(
  Object.values(dialects).flatMap(({ kind, name }) => (kind === 'document' ? [name] : [])),
);

function unique(names: readonly string[]): readonly string[] {
  return [...new Set(names)];
}

function configTable(): string {
  const rows = rowsOf(fileSchema as unknown as SchemaNode, '');
  return ['| setting | default | meaning |', '|---|---|---|', ...rows].join('\n');
}

function rowsOf(node: SchemaNode, path: string): string[] {
  const own =
    path === '' || node.description === undefined
      ? []
      : [`| \`${path}\` | ${shown(node.default)} | ${cell(node.description)} |`];
  const properties = Object.entries(node.properties ?? {}).filter(([, child]) => child.not === undefined);
  const below = properties.flatMap(([name, child]) => rowsOf(child, path === '' ? name : `${path}.${name}`));
  const items =
    node.items?.properties === undefined ? [] : rowsOf({ ...node.items, description: '' }, `${path}[]`).slice(1);
  const { additionalProperties } = node;
  const named =
    typeof additionalProperties === 'object' && additionalProperties.properties !== undefined
      ? rowsOf(additionalProperties, `${path}.<name>`)
      : [];
  return [...own, ...below, ...items, ...named];
}

function shown(value: unknown): string {
  return value === undefined ? '' : `\`${JSON.stringify(value)}\``;
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}

async function writeAll(): Promise<void> {
  const readme = new URL('../../README.md', import.meta.url);
  await writeFile(readme, withSections(await readFile(readme, 'utf8'), await readmeSections()));
  await writeFile(new URL('../config/portcullis.schema.json', import.meta.url), schemaFileText());
  await writeFile(new URL('settings.json', providersFolder), await providerSettingsText());
}

if (import.meta.main) await writeAll();
