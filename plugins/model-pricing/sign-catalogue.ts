/**
 * Signs the catalogue after a change: `node plugins/model-pricing/sign-catalogue.ts <private-key.json>`. With `--new-key` a
 * key pair is made first: the private key goes to that path, which must stay out of the repository.
 */
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { CompactSign, exportJWK, generateKeyPair, importJWK } from 'jose';
import { catalogueFiles, digestsOf } from './files.ts';
import { ownCatalogue } from './load.ts';

const [path, option] = process.argv.slice(2);
if (path === undefined) {
  process.stderr.write('Usage: sign-catalogue.ts <private-key.json> [--new-key]\n');
  process.exit(2);
}
if (option === '--new-key') await makeKeys(path);

const key = await importJWK(JSON.parse(await readFile(path, 'utf8')), 'EdDSA');
const payload = JSON.stringify({ files: digestsOf(await catalogueFiles(ownCatalogue.folder)) });
const signature = await new CompactSign(Buffer.from(payload)).setProtectedHeader({ alg: 'EdDSA' }).sign(key);
await writeFile(ownCatalogue.signature, `${signature}\n`);

async function makeKeys(at: string): Promise<void> {
  if (existsSync(at)) {
    process.stderr.write(`${at} exists already and is not written over.\n`);
    process.exit(2);
  }
  const pair = await generateKeyPair('EdDSA', { crv: 'Ed25519', extractable: true });
  await writeFile(at, `${JSON.stringify(await exportJWK(pair.privateKey))}\n`, { mode: 0o600 });
  await writeFile(ownCatalogue.publicKey, `${JSON.stringify(await exportJWK(pair.publicKey), null, 2)}\n`);
}
