import assert from 'node:assert/strict';
import { it } from 'node:test';
import OpenAI from 'openai';
import { allScopes, asObjects, type JsonObject } from 'portcullis/sdk';
import { Portkey } from 'portkey-ai';
import { startPromptWorld } from '../plugins/prompts/run/world.ts';
import type { Peer } from '../support/peer.ts';
import { noUnhandledRejections } from '../support/rejections.ts';
import { onEachStore } from '../support/stores.ts';

noUnhandledRejections();

/** What the SDK gives, as far as the tests look: its types say `any` or `Record` at most. */
type Given = Readonly<Record<string, unknown>> & { readonly data?: readonly JsonObject[] };

type Calls = readonly (readonly [string, JsonObject])[];

const template = JSON.stringify([
  { role: 'system', content: '{{>house-style}} You speak {{language}}.' },
  { role: 'user', content: 'Greet {{name}}.' },
]);
const variables = { language: 'Danish', name: 'Ada' };
const text = { id: 'cmpl-1', object: 'text_completion', created: 1, model: 'gpt-3.5-turbo-instruct' };

async function given(call: PromiseLike<unknown>): Promise<Given> {
  return (await call) as Given;
}

const rejectedWith = (status: number) => (error: unknown) => {
  assert.equal((error as { readonly status?: number }).status, status, String(error));
  return true;
};

const messagesOf = (...[system, user]: readonly string[]) => [
  { role: 'system', content: system },
  { role: 'user', content: user },
];

onEachStore((store, _open, fresh) => {
  it(`serves prompts to the unmodified clients from a ${store} store`, async (t) => {
    const world = await startPromptWorld(t, {
      store: await fresh(),
      config: { server: { headerVendors: ['gw', 'portkey'] } },
    });
    const { c, shop, peer, key, ask } = world;
    peer.always(({ url, body }) => (url === '/v1/completions' ? textReply(body) : {}));
    const baseURL = `${c.url}/v1`;
    const team = await ask('POST', '/v1/api-keys/workspace/service', {
      name: 'Keeps prompts',
      workspace_id: shop.workspaceId,
      scopes: [...allScopes].filter((scope) => /^(prompts|collections|labels)\./.test(scope)),
    });
    const admin = new Portkey({ baseURL, apiKey: String(team.key) });
    const caller = new Portkey({ baseURL, apiKey: key });

    const place = { workspace: shop.workspaceId, provider: shop.provider };
    const { collection, label } = await furnishPrompts(admin, place);
    const partial = await managePartials(admin);
    const slug = await managePrompts(admin, { ...place, collection, label, partial });
    await runsVersions(caller, peer, slug);
    await followsPartials(admin, caller, peer, { slug, partial });

    const chat = await given(caller.prompts.render({ promptID: slug, variables, temperature: 1.25 }));
    assert.equal(chat.success, true);
    const instruct = await textPrompt(admin, { ...place, collection });
    await completesText(caller, peer, instruct);
    const line = await given(caller.prompts.render({ promptID: instruct, variables, max_tokens: 9 }));

    const openai = (headers: Record<string, string>) =>
      new OpenAI({ baseURL, apiKey: key, maxRetries: 0, defaultHeaders: headers });
    await sendsRendered(openai({ 'x-gw-virtual-key': shop.provider }), peer, chat.data, line.data);
    await ask('PUT', `/v1/admin/workspaces/${shop.workspaceId}`, { defaults: { config_id: shop.config } });
    await sendsRendered(openai({}), peer, chat.data, line.data, { user: 'config-1' });

    await admin.prompts.delete(slug);
    await assert.rejects(given(caller.prompts.completions.create({ promptID: slug, variables })), rejectedWith(404));
    await assert.rejects(given(caller.prompts.render({ promptID: slug, variables })), rejectedWith(404));
    for (const { headers } of peer.requests) assert.equal(headers.authorization, shop.authorization);
  });
});

interface Place {
  readonly workspace: string;
  readonly provider: string;
}

async function furnishPrompts(admin: Portkey, { workspace }: Place) {
  const collection = String((await given(admin.collections.create({ name: 'Greetings', workspace_id: workspace }))).id);
  await admin.collections.update(collection, { name: 'Hellos' });
  assert.equal((await given(admin.collections.retrieve(collection))).name, 'Hellos');
  const listed = await given(admin.collections.list({ workspace_id: workspace }));
  assert.ok(listed.data?.some(({ id }) => id === collection));
  const label = String((await given(admin.labels.create({ name: 'canary', workspace_id: workspace }))).id);
  await admin.labels.update(label, { description: 'of a test' });
  assert.equal((await given(admin.labels.retrieve(label))).description, 'of a test');
  assert.ok((await given(admin.labels.list({ workspace_id: workspace }))).data?.some(({ id }) => id === label));
  return { collection, label };
}

async function managePartials(admin: Portkey): Promise<string> {
  const { partials } = admin.prompts;
  const made = await given(partials.create({ name: 'House style', string: 'Be short.' }));
  const slug = String(made.slug);
  assert.equal((await given(partials.retrieve(slug))).string, 'Be short.');
  const listed = (await partials.list()) as unknown;
  assert.ok(JSON.stringify(listed).includes(slug));
  return slug;
}

interface Making extends Place {
  readonly collection: string;
  readonly label: string;
  readonly partial: string;
}

/** Three versions: 1 is published, 2 has the label, 3 is the latest. */
async function managePrompts(admin: Portkey, { provider, collection, label, partial, workspace }: Making) {
  const { prompts } = admin;
  const string = (verb: string) => template.replace('house-style', partial).replace('Greet', verb);
  const made = await given(
    prompts.create({
      name: 'Greeting',
      collection_id: collection,
      string: string('Greet'),
      parameters: { temperature: 0.5 },
      virtual_key: provider,
      model: 'gpt-4o',
      version_description: 'first',
    }),
  );
  const slug = String(made.slug);
  const detail = await given(prompts.retrieve(slug));
  assert.deepEqual(
    [detail.id, detail.virtual_key, detail.model, detail.prompt_version, detail.string],
    [made.id, provider, 'gpt-4o', 1, string('Greet')],
  );
  const second = await given(prompts.update(slug, { string: string('Hail'), patch: true } as never));
  const whole = { string: string('Salute'), parameters: { temperature: 0.9 }, virtual_key: provider, model: 'gpt-4o' };
  await prompts.update(slug, whole);
  const versions = asObjects((await given(prompts.versions.list(slug))).data);
  assert.deepEqual(versions.map(({ prompt_version }) => prompt_version).toSorted(), [1, 2, 3]);
  const versionId = String(second.prompt_version_id);
  await prompts.versions.update(slug, versionId, { label_id: label });
  const version = await given(prompts.versions.retrieve(slug, versionId));
  assert.deepEqual([version.prompt_version, version.label_id], [2, label]);
  const listed = await given(prompts.list({ workspace_id: workspace, collection_id: collection }));
  assert.deepEqual(
    listed.data?.map((row) => row.slug),
    [slug],
  );
  return slug;
}

/** Each reference whole and as a stream; the last of them after it is published. */
async function runsVersions(caller: Portkey, peer: Peer, slug: string): Promise<void> {
  const verbs: Calls = [
    [slug, { verb: 'Greet', temperature: 0.5 }],
    [`${slug}@canary`, { verb: 'Hail', temperature: 0.5 }],
    [`${slug}@latest`, { verb: 'Salute', temperature: 0.9 }],
    [`${slug}@2`, { verb: 'Hail', temperature: 0.5 }],
  ];
  for (const [promptID, { verb, temperature }] of verbs) {
    const sent = {
      model: 'gpt-4o',
      messages: messagesOf('Be short. You speak Danish.', `${verb} Ada.`),
      temperature,
    };
    const whole = await caller.prompts.completions.create({ promptID, variables });
    assert.ok(!('next' in whole));
    const answer = contentOf(whole as Given);
    assert.ok(typeof answer === 'string' && answer !== '', JSON.stringify(whole));
    const { body, status, headers } = whole as Given;
    assert.deepEqual([contentOf(body as Given), status], [answer, 'success']);
    assert.ok(typeof headers === 'object' && headers !== null && 'x-gw-trace-id' in headers);
    assert.deepEqual(peer.requests.at(-1)?.body, { ...sent, stream: false });

    const stream = await caller.prompts.completions.create({ promptID, variables, stream: true });
    let streamed = '';
    for await (const chunk of stream as AsyncIterable<Given>) {
      const [choice] = chunk.choices as readonly { readonly delta?: { readonly content?: string } }[];
      streamed += choice?.delta?.content ?? '';
    }
    assert.equal(streamed, answer);
    assert.deepEqual(peer.requests.at(-1)?.body, { ...sent, stream: true, stream_options: { include_usage: true } });
  }
}

async function followsPartials(
  admin: Portkey,
  caller: Portkey,
  peer: Peer,
  { slug, partial }: { readonly slug: string; readonly partial: string },
): Promise<void> {
  const { partials } = admin.prompts;
  const system = async () => {
    await caller.prompts.completions.create({ promptID: slug, variables });
    return asObjects(peer.requests.at(-1)?.body.messages)[0]?.content;
  };
  await partials.update(partial, { string: 'Be kind.' });
  assert.equal(await system(), 'Be short. You speak Danish.');
  await partials.publish(partial, { version: 2 });
  assert.equal(await system(), 'Be kind. You speak Danish.');
  const versions = (await partials.versions.list(partial)) as unknown;
  assert.ok(JSON.stringify(versions).includes('Be short.'));
  await admin.prompts.publish(slug, { version: 3 });
  await caller.prompts.completions.create({ promptID: slug, variables });
  assert.match(JSON.stringify(peer.requests.at(-1)?.body.messages), /Salute Ada/);
}

async function textPrompt(admin: Portkey, { provider, collection }: Place & { readonly collection: string }) {
  const made = await given(
    admin.prompts.create({
      name: 'Line',
      collection_id: collection,
      string: 'A line in {{language}} for {{name}}:',
      parameters: { max_tokens: 5 },
      virtual_key: provider,
      model: text.model,
      template_metadata: { template_type: 'text' },
    }),
  );
  return String(made.slug);
}

async function completesText(caller: Portkey, peer: Peer, promptID: string): Promise<void> {
  const whole = await given(caller.prompts.completions.create({ promptID, variables }));
  assert.equal((whole.choices as readonly JsonObject[])[0]?.text, 'Hej Ada');
  const prompt = 'A line in Danish for Ada:';
  assert.deepEqual(peer.requests.at(-1)?.body, { model: text.model, prompt, max_tokens: 5, stream: false });
  const stream = await caller.prompts.completions.create({ promptID, variables, stream: true });
  let streamed = '';
  for await (const chunk of stream as AsyncIterable<Given>) {
    streamed += String((chunk.choices as readonly JsonObject[])[0]?.text ?? '');
  }
  assert.equal(streamed, 'Hej Ada');
}

/** What was rendered goes through a client of another maker, as it is. */
async function sendsRendered(openai: OpenAI, peer: Peer, chat: unknown, line: unknown, more: JsonObject = {}) {
  const reply = await openai.chat.completions.create(chat as OpenAI.ChatCompletionCreateParamsNonStreaming);
  assert.ok(reply.choices[0]?.message.content);
  assert.deepEqual(peer.requests.at(-1)?.body, {
    model: 'gpt-4o',
    messages: messagesOf('Be kind. You speak Danish.', 'Salute Ada.'),
    temperature: 1.25,
    ...more,
  });
  const completion = await openai.completions.create(line as OpenAI.CompletionCreateParamsNonStreaming);
  assert.equal(completion.choices[0]?.text, 'Hej Ada');
  const prompt = 'A line in Danish for Ada:';
  assert.deepEqual(peer.requests.at(-1)?.body, { model: text.model, prompt, max_tokens: 9, ...more });
}

function textReply({ stream }: JsonObject) {
  const choice = (said: string) => ({
    ...text,
    choices: [{ index: 0, text: said, logprobs: null, finish_reason: null }],
  });
  if (stream !== true) return { body: choice('Hej Ada') };
  const events = ['Hej', ' Ada'].map((said) => `data: ${JSON.stringify(choice(said))}\n\n`);
  return { events: [...events, 'data: [DONE]\n\n'] };
}

function contentOf({ choices }: Given): unknown {
  return (choices as readonly { readonly message?: JsonObject }[] | undefined)?.[0]?.message?.content;
}
