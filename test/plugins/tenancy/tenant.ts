import { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { allScopes, type Json, type JsonObject } from 'portcullis/sdk';
import { type ControlOptions, startControl, type TestCaller, type TestControl } from '../../support/control.ts';
import { onEachStore } from '../../support/stores.ts';

const units = fileURLToPath(new URL('./units', import.meta.url));

/** Runs a block of tests against a gateway with this plugin and one that writes down the events, on each kind of store. */
export function onEachControl(work: (control: () => TestControl) => void, options: ControlOptions = {}): void {
  onEachStore((_, __, fresh) => {
    const closing: (() => unknown)[] = [];
    let control: TestControl | undefined;
    before(async () => {
      const t = { after: (close: () => unknown) => void closing.push(close) } as Parameters<typeof startControl>[0];
      control = await startControl(t, {
        plugins: ['tenancy', 'listener'],
        store: await fresh(),
        ...options,
        config: { pluginFolders: [{ path: units, trust: 'trusted', requireSignature: false }], ...options.config },
      });
    });
    after(async () => {
      for (const close of closing) await close();
    });
    describe('the control plane', () =>
      work(() => {
        if (control === undefined) throw new Error('The gateway has not started.');
        return control;
      }));
  });
}

/** Someone who may do everything here, as a person with these roles. */
export function person(given: TestCaller = {}): TestCaller {
  return { scopes: [...allScopes], userId: 'someone', organisationRole: 'member', ...given };
}

let made = 0;

/** An address that nobody has had before. */
export function freshEmail(): string {
  made += 1;
  return `person-${made}@example.com`;
}

export async function makeWorkspace(control: TestControl, body: JsonObject = {}): Promise<JsonObject> {
  return control.ok('POST', '/v1/workspaces', { body: { name: 'Team', ...body } });
}

/** Invites someone and accepts in their place. */
export async function makeUser(
  control: TestControl,
  invite: JsonObject = {},
  own: JsonObject = {},
): Promise<JsonObject> {
  const { invite_link } = await control.ok('POST', '/v1/users/invites', {
    body: { email: freshEmail(), role: 'member', workspaces: [], ...invite },
  });
  return control.ok('POST', '/v1/invites/accept', { body: { token: tokenOf(invite_link), ...own } });
}

export function tokenOf(link: Json | undefined): string {
  return new URL(String(link)).searchParams.get('token') ?? '';
}

/** What the listener has heard of one kind of event, oldest first. */
export function heard(control: TestControl, name: string): readonly JsonObject[] {
  return control.log
    .filter(({ event, fields }) => event === 'heard' && fields.name === name)
    .map(({ fields }) => fields);
}
