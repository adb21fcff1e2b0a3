import assert from 'node:assert/strict';
import { isBuiltin } from 'node:module';
import { posix } from 'node:path';
import { describe, it } from 'node:test';
import { sources, textOf, unitPaths } from './tree.ts';

const { dependencies } = JSON.parse(textOf('package.json')) as { dependencies: Record<string, string> };

interface Import {
  readonly from: string;
  readonly what: string;
  /** The file in the repository, or undefined for a package. */
  readonly file: string | undefined;
}

const imports: readonly Import[] = sources.flatMap((from) =>
  [
    ...textOf(from).matchAll(
      /^(?:import|export)\b[^;'"]*?\bfrom\s+['"]([^'"]+)['"]|^import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
    ),
  ].map(([, named, bare, dynamic]) => {
    const what = named ?? bare ?? dynamic ?? '';
    return { from, what, file: what.startsWith('.') ? posix.join(posix.dirname(from), what) : undefined };
  }),
);

function refused(from: (path: string) => boolean, allowed: (entry: Import) => boolean): readonly string[] {
  return imports
    .filter((entry) => from(entry.from) && !allowed(entry))
    .map((entry) => `${entry.from} imports ${entry.what}`);
}

const isSdk = ({ what }: Import) => what === 'portcullis/sdk';
/** For what runs in threads of its own, which would load the whole sdk once more. */
const isPartOfSdk = ({ what }: Import) => what === 'portcullis/sdk/errors' || what === 'portcullis/sdk/json';
const isNode = ({ what }: Import) => what.startsWith('node:') && isBuiltin(what);
const isListed = ({ what }: Import) =>
  Object.keys(dependencies).some((name) => what === name || what.startsWith(`${name}/`));
const below =
  (folder: string) =>
  ({ file }: Import) =>
    file?.startsWith(folder) === true;

describe('imports', () => {
  it('are found at all', () => assert.ok(imports.length > 500, `${imports.length} imports`));

  it('name files by their whole name', () => {
    assert.deepEqual(
      refused(
        () => true,
        ({ file }) => file === undefined || /\.(ts|json)$/.test(file),
      ),
      [],
    );
  });

  it('of the sdk stay in the sdk; only its testing kit drives the gateway', () => {
    // Checksums and signatures are pure; nothing else of Node is.
    const packages = (entry: Import) =>
      entry.what === 'node:zlib' ||
      entry.what === 'node:crypto' ||
      // The rest of typebox is loaded when it is asked for.
      (entry.from === 'sdk/type-builders.ts' && entry.what === 'node:module') ||
      (/^(typebox|ajv|knex|re2js)(\/|$)/.test(entry.what) && isListed(entry));
    assert.deepEqual(
      refused(
        (path) => path.startsWith('sdk/') && !path.startsWith('sdk/testing/'),
        (entry) => below('sdk/')(entry) || packages(entry),
      ),
      [],
    );
    const kit = (entry: Import) =>
      below('sdk/')(entry) || entry.file === 'core/gateway.ts' || isSdk(entry) || isNode(entry) || isListed(entry);
    assert.deepEqual(
      refused((path) => path.startsWith('sdk/testing/'), kit),
      [],
    );
  });

  it('of the core are its own files, the sdk by its public name, Node, and packages that are listed', () => {
    assert.deepEqual(
      refused(
        (path) => path.startsWith('core/'),
        // The command that tests a unit is the kit's one way into the program.
        (entry) =>
          (entry.from === 'core/cli/plugin-test.ts' && entry.what === 'portcullis/sdk/testing') ||
          below('core/')(entry) ||
          isSdk(entry) ||
          isPartOfSdk(entry) ||
          isNode(entry) ||
          isListed(entry),
      ),
      [],
    );
  });

  for (const unit of unitPaths()) {
    it(`of ${unit} are its own files, the sdk by its public name, Node, and packages that are listed, but for a provider`, () => {
      const own = below(`${unit}/`);
      const mayUsePackages = !unit.startsWith('providers/');
      assert.deepEqual(
        refused(
          (path) => path.startsWith(`${unit}/`),
          (entry) => own(entry) || isSdk(entry) || isNode(entry) || (mayUsePackages && isListed(entry)),
        ),
        [],
      );
    });
  }

  it("of knex in the sdk and in plugins are types alone: the store is the host's", () => {
    const loaded = sources
      .filter((path) => path.startsWith('sdk/') || path.startsWith('plugins/'))
      .filter((path) => /^import (?!type )[^;]*from 'knex/m.test(textOf(path)));
    assert.deepEqual(loaded, []);
  });

  it('use every package that is listed', () => {
    const scripts = textOf('package.json') + textOf('core/cli/node24') + textOf('core/cli/portcullis.mjs');
    const unused = Object.keys(dependencies).filter(
      (name) =>
        !imports.some(({ what }) => what === name || what.startsWith(`${name}/`)) &&
        !scripts.includes(`--import ${name}`),
    );
    assert.deepEqual(unused, []);
  });
});
