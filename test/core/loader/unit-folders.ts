import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GatewayError } from 'portcullis/sdk';

export const pluginCode = `import { plugin, schema } from 'portcullis/sdk';
export default plugin({ config: schema.Object({}), setup: () => ({ log: () => {} }) });
`;

export const providerCode = `import { provider, schema, secret } from 'portcullis/sdk';
export default provider({
  settings: schema.Object({ apiKey: secret() }),
  base: 'https://api.example',
  auth: { kind: 'bearer', from: 'apiKey' },
  endpoints: { chatComplete: { path: '/chat', dialect: 'chat' } },
});
`;

type Fields = Readonly<Record<string, unknown>>;

export function manifestOf(name: string, fields: Fields = {}): Fields {
  const kind = fields.kind ?? 'plugin';
  const phases = kind === 'plugin' ? { phases: ['log'] } : {};
  return { name, kind, version: '1.0.0', sdk: '^1.0.0', title: name, ...phases, ...fields };
}

/** A temporary folder with files by relative path; objects become JSON. */
export async function folderOf(files: Fields): Promise<{ readonly path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'portcullis-units-'));
  for (const [name, content] of Object.entries(files)) {
    const file = join(path, name);
    await mkdir(join(file, '..'), { recursive: true });
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  }
  return { path, remove: () => rm(path, { recursive: true }) };
}

/** The refusal that the work ends in. */
export async function refusalOf(work: () => unknown): Promise<GatewayError> {
  try {
    await work();
  } catch (error) {
    if (GatewayError.is(error)) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}
