import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FlowCall, FlowRequest, FlowTools, FormFile } from 'portcullis/sdk';
import { editFlow } from '../../providers/recraft-ai/edit.ts';

function picture(field: string, size = 3): FormFile {
  async function* bytes() {
    yield Buffer.from('abc');
  }
  return { field, filename: 'a.png', contentType: 'image/png', size, open: bytes };
}

async function asked(body: FlowCall['body'], files: readonly FormFile[]): Promise<FlowRequest> {
  const sent: FlowRequest[] = [];
  const tools: FlowTools = {
    send: async (request) => {
      sent.push(request);
      const json = { created: 1, data: [] };
      return { status: 200, headers: {}, bytes: Buffer.from(JSON.stringify(json)), json };
    },
    open: () => Promise.reject(new Error('Nothing flows here.')),
    pause: async () => {},
    nowSeconds: () => 1,
    newId: (prefix) => prefix,
  };
  const facts = { settings: {}, endpoint: 'imageEdit', model: '', stream: false, params: {}, query: {} } as const;
  await editFlow({ facts, body, files }, tools);
  assert.equal(sent.length, 1);
  return sent[0] as FlowRequest;
}

const url = 'data:image/png;base64,YWJj';

describe('an edit of a picture', () => {
  it('fills what the mask shows', async () => {
    const request = await asked({ prompt: 'winter', n: '2' }, [picture('image'), picture('mask')]);
    assert.equal(request.url, '/images/inpaint');
    assert.deepEqual(request.body, { prompt: 'winter', n: 2, image_url: url, mask_url: url });
  });

  it('changes the whole picture without a mask', async () => {
    const request = await asked({ prompt: 'winter' }, [picture('image[]')]);
    assert.equal(request.url, '/images/imageToImage');
    assert.deepEqual(request.body, { strength: 0.5, prompt: 'winter', image_url: url });
  });

  it('takes URLs', async () => {
    const given = { prompt: 'winter', image_url: 'https://example.com/a.png', mask_url: 'https://example.com/m.png' };
    const request = await asked(given, []);
    assert.equal(request.url, '/images/inpaint');
    assert.deepEqual(request.body, given);
  });

  it('refuses a request without a picture', () =>
    assert.rejects(asked({ prompt: 'winter' }, []), { code: 'bad_request', param: 'image' }));

  it('refuses a picture that the provider would refuse', () =>
    assert.rejects(asked({ prompt: 'winter' }, [picture('image', 21 * 1024 * 1024)]), { code: 'payload_too_large' }));
});
